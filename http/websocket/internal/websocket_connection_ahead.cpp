// SPDX-License-Identifier: MIT

// The part of a WebSocketConnection that reads while the handler is busy.
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/websocket/internal/websocket_connection.h"
#include "runtime/borrowed.h"
#include "runtime/time.h"

namespace volt::http::websocket {
namespace {

// Time for which a handler must be busy before another task reads ahead.
constexpr std::chrono::nanoseconds kBusyTime = std::chrono::milliseconds(100);

// Total size of the messages that are read ahead. When they reach it, reading stops, so that the peer's sends block.
// The last message may exceed this limit.
constexpr std::size_t kAheadBytesMax = 64 * 1024;
constexpr std::size_t kMessageCostBytes = sizeof(WebSocket::Message);  // so that empty messages count as well

}  // namespace

void WebSocketConnection::set_scope(Scope& scope) {
  const std::scoped_lock lock(mutex_);
  scope_ = &scope;
  attend_if_busy_locked();
}

void WebSocketConnection::leave_scope() noexcept {
  const std::scoped_lock lock(mutex_);
  scope_ = nullptr;
}

void WebSocketConnection::attend_if_busy_locked() {
  const bool full = ahead_bytes_ >= kAheadBytesMax;
  if (scope_ == nullptr || attended_ || full || end_seen_ || !session_.open() || session_.has_kept_end()) return;
  scope_->spawn(attend, borrow(*this));
  attended_ = true;
}

Task<> WebSocketConnection::attend(Borrowed<WebSocketConnection> socket) {
  WebSocketConnection& self = socket.get();
  std::uint64_t receives_seen = 0;
  for (;;) {
    co_await sleep_for(kBusyTime);
    switch (self.next_attendance(receives_seen)) {
      case Attendance::ends:
        co_return;
      case Attendance::waits:
        break;
      case Attendance::reads:
        co_await self.read_ahead();
        break;
    }
  }
}

// Decides what attend() does next. It reads ahead only if no receive has ended since the last call, because the handler
// has then been busy with one message. It ends if a task receives, or if nothing more may be read ahead; the end of the
// next receive then spawns attend() again. Otherwise it waits.
WebSocketConnection::Attendance WebSocketConnection::next_attendance(std::uint64_t& receives_seen) {
  const std::scoped_lock lock(mutex_);
  const bool full = ahead_bytes_ >= kAheadBytesMax;
  if (receiving_ || full || end_seen_ || !session_.open() || session_.has_kept_end()) {
    attended_ = false;
    return Attendance::ends;
  }
  if (std::exchange(receives_seen, receives_) != receives_) return Attendance::waits;
  reading_ahead_ = true;
  return Attendance::reads;
}

Task<> WebSocketConnection::read_ahead() {
  for (;;) {
    const bool more = gather_ahead();
    if (has_output()) co_await flush_unless_others_do();
    if (!more) break;
    co_await wait_for_more();
  }
  {
    const std::scoped_lock lock(mutex_);
    reading_ahead_ = false;
  }
  arrived_.notify_one();
}

// Stores the messages that have been received. Returns false if reading ahead must end: because enough has been read,
// because the session or the stream has ended, or because there is a message for a task that receives.
bool WebSocketConnection::gather_ahead() {
  using Kind = websocket::Event::Kind;
  const std::scoped_lock lock(mutex_);
  while (ahead_bytes_ < kAheadBytesMax) {
    const auto event = session_.next_before_end();
    if (!event) {
      received_.reset();
      return session_.open() && !session_.has_kept_end() && !end_seen_ && (!receiving_ || ahead_.empty());
    }
    if (event->kind != Kind::text && event->kind != Kind::binary) continue;
    ++messages_received_;
    ahead_.push_back({.text = event->kind == Kind::text, .data = std::string(event->payload)});
    ahead_bytes_ += event->payload.size() + kMessageCostBytes;
  }
  return false;
}

std::optional<WebSocket::Message> WebSocketConnection::take_ahead_locked() {
  if (ahead_.empty() || !session_.open()) return std::nullopt;
  Message message = std::move(ahead_.front());
  ahead_.erase(ahead_.begin());
  ahead_bytes_ -= message.data.size() + kMessageCostBytes;
  if (ahead_.empty()) std::vector<Message>().swap(ahead_);
  return message;
}

bool WebSocketConnection::reading_ahead() const {
  const std::scoped_lock lock(mutex_);
  return reading_ahead_;
}

// Returns true if messages are being read ahead and no task receives. A drain does not close the WebSocket then,
// because the handler may still send the response to its message.
bool WebSocketConnection::busy() const {
  const std::scoped_lock lock(mutex_);
  return reading_ahead_ && !receiving_;
}

// Called at the end of the stream. If it was found while reading ahead, leaves it to the next receive() and returns
// true.
bool WebSocketConnection::leave_end_to_receiver() {
  const std::scoped_lock lock(mutex_);
  end_seen_ = reading_ahead_;
  return end_seen_;
}

}  // namespace volt::http::websocket
