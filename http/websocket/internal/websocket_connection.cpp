// SPDX-License-Identifier: MIT

#include "http/websocket/internal/websocket_connection.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/per_worker.h"
#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::websocket {
namespace {

constexpr std::size_t kReadBytes = 16 * 1024;  // maximum size of one read
constexpr std::size_t kKeptBytes = 1024;       // an output buffer that is larger is freed

// Maximum time for one wait for input. An interrupt that occurs just before the wait is lost. The limit ensures that
// the reader nevertheless notices that the server drains.
constexpr std::chrono::nanoseconds kWaitMax = std::chrono::seconds(30);

std::logic_error received_from_twice() { return std::logic_error("another task already receives from this WebSocket"); }

MessageRules rules_of(const WebSocketOptions& options, Role role, const Agreement& agreed) {
  return {.role = role,
          .message_bytes_max = options.message_bytes_max,
          .deflate_ratio_max = options.deflate_ratio_max,
          .deflate = agreed.deflate};
}

}  // namespace

// Marks the calling task as the reader as long as this object exists.
class WebSocketConnection::Receiving {
 public:
  explicit Receiving(WebSocketConnection& connection) : connection_(connection) {
    const std::scoped_lock lock(connection_.mutex_);
    if (std::exchange(connection_.receiving_, true)) throw received_from_twice();
  }
  ~Receiving() {
    const std::scoped_lock lock(connection_.mutex_);
    connection_.receiving_ = false;
    ++connection_.receives_;
    try {
      connection_.attend_if_busy_locked();
    } catch (const std::bad_alloc&) {  // decided: the peer's pings are answered by the next receive
    }
  }
  Receiving(const Receiving&) = delete;
  Receiving& operator=(const Receiving&) = delete;

 private:
  WebSocketConnection& connection_;
};

WebSocketConnection::WebSocketConnection(UpgradedStream& stream, const WebSocketOptions& options, Role role,
                                         const Agreement& agreed)
    : stream_(stream),
      options_(options),
      role_(role),
      subprotocol_(agreed.protocol),
      session_(rules_of(options, role, agreed)),
      silence_ends_(coarse_now() + options.ping) {}

// ---- state ----

bool WebSocketConnection::open() const {
  const std::scoped_lock lock(mutex_);
  return session_.open();
}

bool WebSocketConnection::has_output() const {
  const std::scoped_lock lock(mutex_);
  return has_output_locked() || taken_;
}

// Whether there is output that no task has taken to write it.
bool WebSocketConnection::has_output_locked() const noexcept { return prepared_ || session_.has_output(); }

bool WebSocketConnection::peer_gone() const {
  const std::scoped_lock lock(mutex_);
  return peer_gone_;
}

// Whether this end may close the connection.
bool WebSocketConnection::finished() const {
  const std::scoped_lock lock(mutex_);
  return session_.closed() && (role_ == Role::server || peer_gone_);
}

CloseCode WebSocketConnection::close_code() const {
  const std::scoped_lock lock(mutex_);
  return close_code_;
}

std::string WebSocketConnection::close_reason() const {
  const std::scoped_lock lock(mutex_);
  return close_reason_;
}

MessageCounts WebSocketConnection::counts() const {
  const std::scoped_lock lock(mutex_);
  return {
      .received = messages_received_, .sent = messages_sent_, .close_code = static_cast<std::uint16_t>(close_code_)};
}

// Records why the WebSocket ends; only the first call has an effect.
void WebSocketConnection::note_end_locked(CloseCode code, std::string_view reason) {
  if (std::exchange(end_noted_, true)) return;
  close_code_ = code;
  close_reason_ = reason;
}

void WebSocketConnection::begin_close(CloseCode code, std::string_view reason) {
  const std::scoped_lock lock(mutex_);
  if (session_.close(code, reason)) note_end_locked(code, reason);
}

void WebSocketConnection::lose_peer() {
  const std::scoped_lock lock(mutex_);
  session_.disconnected();
  prepared_.reset();
  peer_gone_ = true;
  note_end_locked(CloseCode::abnormal, {});
}

// ---- receiving ----

Task<std::optional<WebSocket::Message>> WebSocketConnection::receive() {
  if (!arrivals_) return read_message();
  return await_message();
}

Task<std::optional<WebSocket::Message>> WebSocketConnection::await_message() { co_return co_await message(); }

Receiver<WebSocket::Message>& WebSocketConnection::expect_message() {
  if (!arrivals_) start_reading_for_others();
  Arrivals& arrivals = *arrivals_;
  bool idle = false;
  {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t taken = arrivals.delivered - arrivals.receiver.size();
    idle = arrivals.wanted == taken;
    arrivals.wanted = taken + 1;
  }
  if (idle) arrivals.asked.notify_one();
  return arrivals.receiver;
}

void WebSocketConnection::start_reading_for_others() {
  {
    const std::scoped_lock lock(mutex_);
    if (receiving_) throw received_from_twice();
  }
  auto [sender, receiver] = channel<Message>(1);
  auto arrivals = std::make_unique<Arrivals>(std::move(receiver));
  scope_->spawn(read_on_demand, borrow(*this), borrow(*arrivals), std::move(sender));
  arrivals_ = std::move(arrivals);
}

bool WebSocketConnection::wanted(const Arrivals& arrivals) const {
  const std::scoped_lock lock(mutex_);
  return arrivals.wanted != arrivals.delivered;
}

// Reads a message each time that one is requested. When this task ends, it closes the channel.
Task<> WebSocketConnection::read_on_demand(Borrowed<WebSocketConnection> socket, Borrowed<Arrivals> arrivals,
                                           Sender<Message> to) {
  WebSocketConnection& self = socket.get();
  for (;;) {
    while (!self.wanted(arrivals.get())) co_await arrivals.get().asked.notified();
    std::optional<Message> message = co_await self.read_message();
    if (!message) co_return;
    const std::scoped_lock lock(self.mutex_);
    ++arrivals.get().delivered;
    VOLT_CHECK(to.try_send(*std::move(message)) == Sent::sent);  // The earlier message was taken.
  }
}

Task<std::optional<WebSocket::Message>> WebSocketConnection::read_message() {
  const Receiving receiving(*this);
  for (;;) {
    // Asked before the message is taken: reading ahead does not begin while a task receives, but it may end between the
    // two, and leave a message.
    const bool read_ahead_lasts = reading_ahead();
    std::optional<Message> message = take_message();
    if (message) co_return message;
    if (read_ahead_lasts) {
      co_await arrived_.notified();
      continue;
    }
    if (end_seen_) lose_peer();
    if (stream_.draining()) begin_close(CloseCode::going_away);  // the stream reports it once: maybe to read_ahead()
    if (has_output()) co_await flush_unless_others_do();
    if (!open()) co_return std::nullopt;
    co_await wait_for_more();
  }
}

// Returns the next message that has been received. Returns nullopt if all received bytes have been consumed, or if
// attend() reads ahead and has no message. Discards messages that arrive after our close frame.
std::optional<WebSocket::Message> WebSocketConnection::take_message() {
  using Kind = websocket::Event::Kind;
  const std::scoped_lock lock(mutex_);
  if (reading_ahead_ || !ahead_.empty()) [[unlikely]] {
    return take_ahead_locked();
  }
  while (const auto event = session_.next()) {
    switch (event->kind) {
      case Kind::text:
      case Kind::binary:
        if (!session_.open()) break;
        ++messages_received_;
        return Message{.text = event->kind == Kind::text, .data = std::string(event->payload)};
      case Kind::ping:
      case Kind::pong:
        break;
      case Kind::close:
      case Kind::failure:
        note_end_locked(event->code, event->payload);
        break;
    }
  }
  received_.reset();
  return std::nullopt;
}

// Waits for input and reads it. Reads once even if the deadline has passed, because on a busy machine this task may run
// only long after the bytes arrived.
Task<> WebSocketConnection::wait_for_more() {
  const bool pings = options_.ping > options_.ping.zero();
  const auto timeout = pings ? std::max(silence_ends_ - coarse_now(), std::chrono::nanoseconds(0)) : kWaitMax;
  stream_.set_read_deadline_in(std::min(timeout, kWaitMax));
  const Result<void> ready = co_await stream_.readable();
  const Result<void> has_memory = co_await stream_.await_memory();
  if (stream_.draining() && !busy()) begin_close(CloseCode::going_away);
  if (!has_memory) co_return begin_close(CloseCode::try_again_later);
  if (!read_what_came() && timed_out(ready) && pings && timeout <= kWaitMax) end_silence();
}

// Returns false if no bytes were available.
bool WebSocketConnection::read_what_came() {
  auto buffer = std::make_unique_for_overwrite<char[]>(kReadBytes);
  const std::span<char> room(buffer.get(), kReadBytes);
  const Result<std::size_t> count = stream_.try_read(std::as_writable_bytes(room));
  if (would_block(count)) return false;
  if (!count || *count == 0) {
    if (!leave_end_to_receiver()) lose_peer();
    return true;
  }
  pinged_ = false;
  silence_ends_ = coarse_now() + options_.ping;
  received_ = std::move(buffer);
  const std::scoped_lock lock(mutex_);
  session_.feed(room.first(*count));
  return true;
}

void WebSocketConnection::end_silence() {
  if (std::exchange(pinged_, true)) return lose_peer();
  silence_ends_ = coarse_now() + options_.pong_timeout;
  const std::scoped_lock lock(mutex_);
  session_.ping();
}

// ---- sending ----

bool WebSocketConnection::count_sent_locked(bool accepted) noexcept {
  if (accepted) ++messages_sent_;
  return accepted;
}

// Not a coroutine: the message is copied during the call, because the caller's text may be destroyed before the task is
// awaited.
Task<> WebSocketConnection::send_text(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return send_accepted(count_sent_locked(session_.send_text(text)));
}

Task<> WebSocketConnection::send_binary(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  return send_accepted(count_sent_locked(session_.send_binary(bytes)));
}

Task<> WebSocketConnection::send(const PreparedMessage& message) {
  const std::scoped_lock lock(mutex_);
  bool accepted = session_.open();
  if (accepted && !has_output_locked() && !session_.shared_frame(message).empty()) {
    prepared_ = message;
  } else {
    accepted = session_.send_prepared(message);
  }
  return send_accepted(count_sent_locked(accepted));
}

Task<> WebSocketConnection::send(std::span<const PreparedMessage> messages) {
  const std::scoped_lock lock(mutex_);
  bool accepted = session_.open();
  for (const PreparedMessage& message : messages) accepted = count_sent_locked(session_.send_prepared(message));
  return send_accepted(accepted);
}

// Sends the message that the session has accepted. While the server drains, also sends a close frame after the message.
// Otherwise a handler that only sends would never notice the drain.
Task<> WebSocketConnection::send_accepted(bool accepted) {
  if (!accepted) throw Disconnected();
  if (stream_.draining()) begin_close(CloseCode::going_away);
  {  // as flush(), which would cost a coroutine frame for each message
    const Mutex::Guard turn = co_await writing_.lock();
    if (!write_at_once()) co_await write_output();
  }
  if (has_output()) co_await flush_unless_others_do();
  if (peer_gone()) throw Disconnected();
}

Task<> WebSocketConnection::close(CloseCode code, std::string_view reason) {
  begin_close(code, reason);
  return flush_and_end_receive();
}

Task<> WebSocketConnection::flush_and_end_receive() {
  co_await flush();
  stream_.interrupt_read();
}

Task<> WebSocketConnection::flush() {
  {
    const Mutex::Guard turn = co_await writing_.lock();
    if (!write_at_once()) co_await write_output();
  }
  if (!has_output()) co_return;
  co_await flush_unless_others_do();
}

Task<> WebSocketConnection::flush_unless_others_do() {
  while (has_output()) {
    const std::optional<Mutex::Guard> turn = writing_.try_lock();
    if (!turn) co_return;
    co_await write_output();
  }
}

// Writes output as long as the kernel accepts it without a wait. Returns whether none is left.
bool WebSocketConnection::write_at_once() {
  while (take_output()) {
    stream_.set_write_deadline_in(kNoDeadline);
    const Result<bool> written = stream_.try_write_and_advance(unwritten_);
    if (!written) lose_peer();
    if (written && !*written) return false;
  }
  return true;
}

Task<> WebSocketConnection::write_output() {
  while (take_output()) {
    stream_.set_write_deadline_in(kNoDeadline);  // the full time again, if the peer accepts bytes of a cancelled write
    if (!co_await stream_.write_and_advance(unwritten_)) lose_peer();
  }
}

// Sets unwritten_ to the bytes to write next: those that a cancelled writer left, otherwise new output. Returns false
// if there are none.
bool WebSocketConnection::take_output() {
  const std::scoped_lock lock(mutex_);
  if (!peer_gone_ && !unwritten_.empty()) return true;
  unwritten_ = {};
  writing_prepared_.reset();
  if (out_.capacity() > kKeptBytes) std::string().swap(out_);
  taken_ = has_output_locked();
  if (!taken_) return false;
  if (prepared_) {
    writing_prepared_ = std::exchange(prepared_, std::nullopt);
    unwritten_ = std::as_bytes(std::span(session_.shared_frame(*writing_prepared_)));
    return true;
  }
  session_.take_output(out_);
  unwritten_ = std::as_bytes(std::span(out_));
  return true;
}

// ---- the end ----

Task<> WebSocketConnection::finish(CloseCode code) {
  {
    const std::scoped_lock lock(mutex_);
    reading_ahead_ = false;  // attend() may have been cancelled
    ahead_.clear();
  }
  begin_close(stream_.draining() && code == CloseCode::normal ? CloseCode::going_away : code);
  [[maybe_unused]] const Result<void> in_time =
      co_await within(options_.close_timeout, [this] { return await_close(); });
}

// Waits until both ends have sent a close frame (RFC 6455 section 7.1.2), and at a client until the server has closed
// the connection. Discards messages that the peer still sends.
Task<> WebSocketConnection::await_close() {
  stream_.set_read_deadline_in(kNoDeadline);
  for (;;) {
    [[maybe_unused]] const std::optional<Message> dropped = take_message();
    co_await flush();
    if (finished()) co_return;
    [[maybe_unused]] const Result<void> ready = co_await stream_.readable();
    [[maybe_unused]] const Result<void> has_memory = co_await stream_.await_memory();
    read_what_came();
  }
}

}  // namespace volt::http::websocket
