// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/session.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "crypto/random.h"
#include "http/websocket/protocol/frame_encoder.h"
#include "http/websocket/protocol/prepared_message.h"
#include "http/websocket/protocol/utf8.h"
#include "runtime/base/check.h"

namespace volt::http::websocket {
namespace {

// Maximum size of the buffer for compression that is kept between messages; a larger one is freed.
constexpr std::size_t kDeflatedBytesKept = 16 * 1024;

coding::MessageWindow our_window(const DeflateParameters& deflate, Role role) noexcept {
  if (role == Role::server) {
    return {.bits = deflate.server_max_window_bits, .kept = !deflate.server_no_context_takeover};
  }
  return {.bits = deflate.client_max_window_bits, .kept = !deflate.client_no_context_takeover};
}

// The mask must be unpredictable for the party that chooses the payload (RFC 6455 section 10.3).
Mask random_mask() noexcept {
  Mask mask;
  crypto::fill_random(std::as_writable_bytes(std::span(mask)));
  return mask;
}

}  // namespace

Session::Session(const MessageRules& rules) : role_(rules.role), decoder_(rules) {
  if (!rules.deflate) return;
  const coding::MessageWindow window = our_window(*rules.deflate, role_);
  deflater_.emplace(window);
  shares_deflated_ = role_ == Role::server && !window.kept && window.bits == coding::kWindowBitsMax;
  if (!window.kept) deflated_bytes_min_ = kDeflatedAloneBytesMin;
}

void Session::feed(std::span<char> bytes) noexcept {
  VOLT_CHECK(unread_.empty());
  if (!closed()) unread_ = bytes;
}

std::optional<Event> Session::next() {
  if (closed()) return std::nullopt;
  if (kept_end_) return take_kept_end();
  const auto decoded = decoder_.next(unread_);
  if (!decoded) return fail(decoded.error());
  if (!*decoded) return std::nullopt;
  const Event& event = **decoded;
  if (event.kind == Event::Kind::ping) note_ping(event.payload);
  if (event.kind == Event::Kind::close) take_close(event);
  return event;
}

std::optional<Event> Session::next_before_end() {
  if (closed() || kept_end_) return std::nullopt;
  const auto decoded = decoder_.next(unread_);
  if (decoded && !*decoded) return std::nullopt;
  if (!decoded) {
    kept_end_ = std::make_unique<KeptEnd>(decoded.error());
  } else if (const Event& event = **decoded; event.kind == Event::Kind::close) {
    kept_end_ = std::make_unique<KeptEnd>(std::nullopt, event.code, std::string(event.payload));
  } else {
    if (event.kind == Event::Kind::ping) note_ping(event.payload);
    return event;
  }
  unread_ = {};
  return std::nullopt;
}

Event Session::take_kept_end() {
  if (kept_end_->violation) return fail(*kept_end_->violation);
  const Event close{.kind = Event::Kind::close, .code = kept_end_->code, .payload = kept_end_->reason};
  take_close(close);
  return close;
}

bool Session::send_text(std::string_view text) {
  if (!is_utf8(text)) throw std::invalid_argument("the text of a message is not UTF-8");
  return send_message(Opcode::text, text);
}

bool Session::send_binary(std::string_view bytes) { return send_message(Opcode::binary, bytes); }

std::string_view Session::shared_frame(const PreparedMessage& message) const {
  if (role_ == Role::client) return {};
  if (!deflater_) return message.frame();
  return shares_deflated_ ? message.deflated_frame() : std::string_view();
}

bool Session::send_prepared(const PreparedMessage& message) {
  if (!open()) return false;
  const std::string_view frame = shared_frame(message);
  if (frame.empty()) return send_message(message.is_text() ? Opcode::text : Opcode::binary, message.payload());
  output_.append(frame);
  return true;
}

bool Session::ping(std::string_view payload) {
  if (payload.size() > kControlBytesMax) throw std::invalid_argument("the payload of a ping exceeds 125 bytes");
  if (!open()) return false;
  append(Opcode::ping, payload);
  return true;
}

bool Session::close(CloseCode code, std::string_view reason) {
  if (!may_be_sent(code)) throw std::invalid_argument("this close code must not be sent");
  if (reason.size() > kReasonBytesMax) throw std::invalid_argument("the close reason exceeds 123 bytes");
  if (!is_utf8(reason)) throw std::invalid_argument("the close reason is not UTF-8");
  if (!open()) return false;
  append_close({.code = code, .reason = reason});
  state_ = State::close_sent;
  return true;
}

void Session::disconnected() noexcept {
  state_ = State::closed;
  unread_ = {};
  output_.clear();
  pong_due_ = false;
}

void Session::take_output(std::string& to) {
  append_due_pong();
  pongs_ = 0;
  to.clear();
  std::swap(to, output_);
}

bool Session::send_message(Opcode opcode, std::string_view payload) {
  if (!open()) return false;
  if (!deflater_ || payload.size() < deflated_bytes_min_) {
    append(opcode, payload);
    return true;
  }
  deflated_.clear();
  deflater_->deflate(payload, deflated_);
  append(opcode, deflated_, true);
  if (deflated_.capacity() > kDeflatedBytesKept) std::string().swap(deflated_);
  return true;
}

void Session::append(Opcode opcode, std::string_view payload, bool compressed) {
  FrameHead head{.opcode = opcode, .compressed = compressed};
  if (role_ == Role::client) head.mask = random_mask();
  append_frame(output_, head, payload);
}

void Session::append_close(const CloseFrame& close) {
  append_due_pong();
  append(Opcode::close, close_payload(close));
}

void Session::append_due_pong() {
  if (!pong_due_) return;
  pong_due_ = false;
  append(Opcode::pong, {pong_.data(), pong_bytes_});
}

// The pong comes after the messages that were sent before the ping arrived, and before those that are sent later.
void Session::note_ping(std::string_view payload) {
  if (!open()) return;
  if (pongs_ != kPongsMax) {
    append(Opcode::pong, payload);
    ++pongs_;
    return;
  }
  pong_due_ = true;
  pong_bytes_ = static_cast<std::uint8_t>(payload.size());
  std::ranges::copy(payload, pong_.begin());
}

// Responds with the peer's own code, section 5.5.1.
void Session::take_close(const Event& close) {
  if (open()) append_close({.code = close.code});
  state_ = State::closed;
  unread_ = {};
}

Event Session::fail(Violation violation) {
  const CloseFrame close{.code = close_code_for(violation), .reason = describe(violation)};
  if (open()) append_close(close);
  state_ = State::closed;
  unread_ = {};
  return {.kind = Event::Kind::failure, .code = close.code, .payload = close.reason};
}

}  // namespace volt::http::websocket
