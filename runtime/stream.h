// SPDX-License-Identifier: MIT

// Stream: a connection's bytes in both directions. TcpStream and UnixStream are streams, and so is each layer above
// them: TLS, a connection that switched to another protocol.
//
// Waiting and transferring are separate: an idle connection holds no buffer and takes one only when there is data to
// read. try_read() and try_write() never wait; the error operation_would_block means that the caller must wait for
// readable() or writable(). A layer waits with the socket below it, so every stream waits without an allocation. A
// layer that holds bytes of its own calls expect_more() of the stream below.
//
// Threads: one task at a time in each direction, and the stream may move with them; interrupt_read() may be called by
// any thread while the stream exists.
// Lifetime: a stream that owns its connection closes it when it is destroyed. It may outlive its Runtime (runtime.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {

// A limit for set_read_deadline_in() and set_write_deadline_in() that sets no deadline.
inline constexpr std::chrono::nanoseconds kNoDeadline = std::chrono::nanoseconds::max();

class Stream {
 public:
  virtual ~Stream() = default;

  // Waits until there may be data to read, or the end of the data (readable), or room to write (writable). Errors:
  // timed_out, interrupted.
  [[nodiscard]] virtual net::ReadyWait readable() noexcept = 0;
  [[nodiscard]] virtual net::ReadyWait writable() noexcept = 0;

  // Reads available data. Returns the number of bytes read; 0 at the end of the peer's data, or for an empty span.
  // Never waits. Errors: operation_would_block, and those of the stream.
  [[nodiscard]] virtual Result<std::size_t> try_read(std::span<std::byte> into) noexcept = 0;
  // Writes data and returns the number of bytes that were accepted, which may be less than given. Never waits. After a
  // short count or operation_would_block, the next call must begin with all the bytes that were left, perhaps at
  // another address and followed by more. Errors: operation_would_block, and those of the stream.
  [[nodiscard]] virtual Result<std::size_t> try_write(std::span<const std::byte> from) noexcept = 0;

  // After `limit` from now, waits in that direction fail with timed_out; kNoDeadline removes the deadline. Must be
  // called by the task that reads or writes.
  virtual void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept = 0;
  virtual void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept = 0;

  // Makes the next readable() return at once. For readers and layers with a buffer that still holds data. Must be
  // called by the task that reads.
  virtual void expect_more() noexcept = 0;
  // Ends a wait for readable() that is in progress, with the error interrupted.
  virtual void interrupt_read() noexcept = 0;
  // Ends the data in the direction to the peer; data from the peer can still be read.
  virtual void shutdown_write() noexcept = 0;

  // Waits until data is available, then reads. Errors: those of readable() and try_read().
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<std::byte> into);
  // Writes all of `from`; waits where necessary. Errors: those of writable() and try_write().
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte> from);
  // Writes all of `left` and removes the written bytes from its front, so that the rest can be written later if the
  // task is cancelled. Errors: those of write_all().
  [[nodiscard]] Task<Result<void>> write_and_advance(std::span<const std::byte>& left);

  // Writes from the front of `left` the bytes that are accepted now, and removes them. Returns whether all were
  // accepted. Errors: those of try_write(), except operation_would_block.
  [[nodiscard]] Result<bool> try_write_and_advance(std::span<const std::byte>& left) noexcept;

 protected:
  Stream() = default;
  Stream(Stream&&) = default;
  Stream& operator=(Stream&&) = default;
};

}  // namespace volt
