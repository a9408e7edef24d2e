// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/message_decoder.h"

#include <algorithm>
#include <utility>

#include "http/websocket/protocol/close_frame.h"

namespace volt::http::websocket {
namespace {

using coding::Inflated;

// A message may inflate to this size at any ratio; the ratio limits only the bytes beyond it. This size is also the
// default of message_bytes_max, so the ratio matters only if that limit is raised: then a few KiB must not inflate to a
// hundred MiB.
constexpr std::size_t kInflatedBytesFree = 1024 * 1024;

// The ratio is checked each time this number of bytes of a message has been received, and not after each receive. So
// whether a message is rejected does not depend on how the network split it.
constexpr std::size_t kRatioStepBytes = 512;

FrameRules frame_rules(const MessageRules& rules) noexcept {
  return {.role = rules.role, .deflate = rules.deflate.has_value(), .message_bytes_max = rules.message_bytes_max};
}

// Returns the window for inflating the peer's messages. zlib does not support a window of 2^8 bytes, so 2^9 is used
// instead. A window that is larger than the peer's does no harm.
coding::MessageWindow peer_window(const DeflateParameters& deflate, Role ours) noexcept {
  const bool from_client = ours == Role::server;
  const int bits = from_client ? deflate.client_max_window_bits : deflate.server_max_window_bits;
  const bool emptied = from_client ? deflate.client_no_context_takeover : deflate.server_no_context_takeover;
  return {.bits = std::max(bits, coding::kWindowBitsMin), .kept = !emptied};
}

bool too_dense(std::uint64_t inflated_bytes, std::uint64_t wire_bytes, std::size_t ratio_max) noexcept {
  if (inflated_bytes <= kInflatedBytesFree) return false;
  return ratio_max == 0 || (inflated_bytes - kInflatedBytesFree) / ratio_max > wire_bytes;
}

std::expected<std::optional<Event>, Violation> control_event(const FramePiece& frame) noexcept {
  if (frame.opcode == Opcode::ping) return Event{.kind = Event::Kind::ping, .payload = frame.payload};
  if (frame.opcode == Opcode::pong) return Event{.kind = Event::Kind::pong, .payload = frame.payload};
  const auto close = parse_close(frame.payload);
  if (!close) return std::unexpected(close.error());
  return Event{.kind = Event::Kind::close, .code = close->code, .payload = close->reason};
}

}  // namespace

MessageDecoder::MessageDecoder(const MessageRules& rules)
    : frames_(frame_rules(rules)),
      message_bytes_max_(rules.message_bytes_max),
      deflate_ratio_max_(rules.deflate_ratio_max) {
  if (rules.deflate) inflater_.emplace(peer_window(*rules.deflate, rules.role));
}

std::expected<std::optional<Event>, Violation> MessageDecoder::next(std::span<char>& bytes) {
  if (delivered_) release_message();
  for (;;) {
    const auto piece = frames_.decode(bytes);
    if (!piece) return std::unexpected(piece.error());
    if (!*piece) return std::nullopt;
    if (is_control((*piece)->opcode)) return control_event(**piece);
    auto event = take_data(**piece);
    if (!event || *event) return event;
  }
}

void MessageDecoder::release_message() noexcept {
  delivered_ = false;
  message_.clear();
  if (message_.capacity() > kKeptBytes) std::string().swap(message_);  // frees the memory, unlike an assignment
}

std::expected<std::optional<Event>, Violation> MessageDecoder::take_data(const FramePiece& piece) {
  if (piece.begins_message) {
    text_ = piece.opcode == Opcode::text;
    utf8_ = {};
    wire_bytes_ = 0;
  }
  const bool whole =
      piece.begins_message && piece.ends_message && !piece.compressed;  // a message in one piece is not copied
  if (!whole && !piece.compressed) message_.append(piece.payload);
  const auto violation = piece.compressed ? inflate(piece) : check_text(piece.payload);
  if (violation) return std::unexpected(*violation);
  if (!piece.ends_message) return std::nullopt;
  if (text_ && !utf8_.complete()) return std::unexpected(Violation::invalid_utf8);
  delivered_ = true;
  return Event{.kind = text_ ? Event::Kind::text : Event::Kind::binary, .payload = whole ? piece.payload : message_};
}

std::optional<Violation> MessageDecoder::check_text(std::string_view added) noexcept {
  if (text_ && !utf8_.feed(added)) return Violation::invalid_utf8;
  return std::nullopt;
}

std::optional<Violation> MessageDecoder::inflate(const FramePiece& piece) {
  for (std::string_view wire = piece.payload; !wire.empty();) {
    const std::string_view step = wire.substr(0, kRatioStepBytes - wire_bytes_ % kRatioStepBytes);
    wire.remove_prefix(step.size());
    wire_bytes_ += step.size();
    const std::size_t before = message_.size();
    const Inflated inflated = inflater_->inflate(step, message_, message_bytes_max_);
    if (const auto violation = judge(inflated, before)) return violation;
    if (wire_bytes_ % kRatioStepBytes == 0 && too_dense(message_.size(), wire_bytes_, deflate_ratio_max_)) {
      return Violation::inflated_too_much;
    }
  }
  if (!piece.ends_message) return std::nullopt;
  const std::size_t before = message_.size();
  const Inflated inflated = inflater_->finish(message_, message_bytes_max_);
  if (const auto violation = judge(inflated, before)) return violation;
  if (too_dense(message_.size(), wire_bytes_, deflate_ratio_max_)) return Violation::inflated_too_much;
  return std::nullopt;
}

// Returns the violation, if any, after a step has inflated bytes into message_, from `before` on. Checks the text
// before `inflated`, because the inflated text precedes any other fault in the message. So the reported violation does
// not depend on how the network split the message.
std::optional<Violation> MessageDecoder::judge(Inflated inflated, std::size_t before) noexcept {
  if (const auto violation = check_text(std::string_view(message_).substr(before))) return violation;
  switch (inflated) {
    case Inflated::ok:
      return std::nullopt;
    case Inflated::too_big:
      return Violation::message_too_big;
    case Inflated::bad_data:
      return Violation::bad_deflate;
  }
  std::unreachable();
}

}  // namespace volt::http::websocket
