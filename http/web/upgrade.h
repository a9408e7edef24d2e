// SPDX-License-Identifier: MIT

// Upgrade: a connection that switches to another protocol after a 101 response (RFC 9110 section 7.8).
//
// Threads: used by one task at a time in each direction. Lifetime: the stream is valid until run() has returned. In
// run() the request is no longer valid; the values that middleware stored in the request, the app's state and the
// route's pattern stay valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"

namespace volt::http {

// The bytes of the connection in both directions. Bytes that were received after the request's head are read first.
//
// When the server has begun to drain (a graceful shutdown), readable() fails once with interrupted. writable() fails
// with timed_out at the deadline that is set, and also when the peer accepts the bytes more slowly than ServerOptions
// allow. The time for this limit begins with the first write after all earlier bytes were accepted, and again with the
// first write after set_write_deadline_in() if the peer accepts bytes of it. A peer that accepts nothing gets no
// further time, however often a write is repeated.
class UpgradedStream : public Stream {
 public:
  // Waits while the server is short of memory. Must be called after readable() and before the read. Errors:
  // not_enough_memory if memory remains short for seconds.
  [[nodiscard]] virtual Task<Result<void>> await_memory() = 0;
  // Whether the server has begun to drain. May be called by any task.
  [[nodiscard]] virtual bool draining() const noexcept = 0;
};

// The messages of a protocol such as WebSocket, and how it was closed.
struct MessageCounts {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint16_t close_code = 0;  // RFC 6455 section 7.4.

  static constexpr std::uint16_t kDisconnected = 1006;  // The close code if the peer disconnected without a close.
};

class Upgrade {
 public:
  Upgrade() = default;
  Upgrade(const Upgrade&) = delete;
  Upgrade& operator=(const Upgrade&) = delete;
  virtual ~Upgrade() = default;

  // Name of the protocol in the 101 response: a token that the client requested. Valid as long as this object.
  [[nodiscard]] virtual std::string_view protocol() const noexcept = 0;
  // Runs the protocol, once the 101 response has been sent. The connection is closed when the task completes.
  [[nodiscard]] virtual Task<> run(UpgradedStream& stream) = 0;
  // Returns the messages of run(), which must have ended; none if the protocol has no messages.
  [[nodiscard]] virtual std::optional<MessageCounts> messages() const noexcept { return std::nullopt; }
};

}  // namespace volt::http
