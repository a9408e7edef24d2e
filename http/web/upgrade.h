// SPDX-License-Identifier: MIT

// Upgrade: a connection that switches to another protocol after a 101 response (RFC 9110 section 7.8).
//
// Threads: used by one task at a time in each direction. Lifetime: the stream is valid until run() has returned. In
// run() the request is no longer valid; the values that middleware stored in the request, the app's state and the
// route's pattern stay valid.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http {

// The bytes of the connection in both directions. Waiting and reading are separate functions, so that a waiting task
// holds no buffer.
class UpgradedStream {
 public:
  // Waits until bytes or the end of the stream may have arrived, then waits while memory is short. Errors: timed_out;
  // interrupted when the server begins to drain and after interrupt_read(); not_enough_memory if memory is short for
  // seconds.
  [[nodiscard]] virtual Task<Result<void>> readable() = 0;
  // Reads available bytes, first those received after the request head. 0 at the end of the stream. Errors:
  // operation_would_block; those of recv(2).
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  // Writes `left` and removes the written bytes from its front, so that the rest can be written later if the task is
  // cancelled. Errors: timed_out for a peer that is too slow; those of send(2).
  [[nodiscard]] virtual Task<Result<void>> write_all(std::span<const std::byte>& left) = 0;
  // Sets the time limit of readable(), from now. Must be called by the task that reads.
  virtual void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept = 0;
  // Ends a pending readable(). May be called by any task.
  virtual void interrupt_read() noexcept = 0;
  // Whether the server drains. May be called by any task.
  [[nodiscard]] virtual bool draining() const noexcept = 0;

 protected:
  ~UpgradedStream() = default;
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
};

}  // namespace volt::http
