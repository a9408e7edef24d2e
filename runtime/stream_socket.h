// SPDX-License-Identifier: MIT

// StreamSocket: a connected stream socket and its transfers. The common base of TcpStream and UnixStream.
//
// Threads: belongs to one task at a time and may move with it, or into a task that it is passed to.
// Lifetime: closes its connection when it is destroyed. Must not outlive its Runtime.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"

namespace volt {

class StreamSocket {
 public:
  // Takes ownership of a connected, non-blocking descriptor.
  explicit StreamSocket(int fd) : socket_(new net::Socket(fd)) {}
  explicit StreamSocket(net::SocketOwner socket) noexcept : socket_(std::move(socket)) {}

  // Waits until there may be data to read, or the end of the data (readable), or room to write (writable). Errors:
  // timed_out, interrupted.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_->ready(net::Direction::read); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_->ready(net::Direction::write); }

  // Reads available data. Returns the number of bytes read; 0 at the end of the peer's data, or for an empty span.
  // Never waits. Errors: operation_would_block, and those of recv(2).
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept;
  // Reads available data as try_read() does, but leaves it in the socket. The next readable() waits for further data.
  // Errors: those of try_read().
  [[nodiscard]] Result<std::size_t> try_peek(std::span<std::byte> into) noexcept;
  // Makes the next readable() return at once. For readers with a buffer of their own that still holds data.
  void expect_more() noexcept { socket_->set_more_to_read(true); }
  // Writes data and returns the number of bytes that the kernel accepted, which may be less than given. Never waits,
  // and raises no SIGPIPE. Errors: operation_would_block, and those of send(2).
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept;

  // Writes as try_write() does, with try_send_file() to follow immediately: the kernel may hold the data back until the
  // first bytes of the file, so that both share a packet.
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept;
  // Sends up to `size` bytes of the file `fd` from `offset`, and returns the number of bytes that the kernel accepted;
  // 0 if the file ends before `offset`. Never waits. Errors: operation_would_block, and those of sendfile(2).
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept;

  // Lets the kernel hold back data that is written from now on, so that it shares a packet with the end of the data.
  // shutdown_write() must follow immediately.
  void cork() noexcept { socket_->set_corked(); }

  // Waits until data is available, then reads. Errors: timed_out, and those of recv(2).
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<std::byte> into);
  // Writes all of `from`; waits where necessary. Errors: timed_out, and those of send(2).
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte> from);

  // After `limit` from now, waits in that direction fail with timed_out; nanoseconds::max() means no deadline.
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::read, limit);
  }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::write, limit);
  }

  // Ends a wait for readable() that is in progress, with the error interrupted. Any thread may call it while the stream
  // exists.
  void interrupt_read() noexcept { socket_->interrupt(net::Direction::read); }

  // While the result exists, the calling task is cancelled when the peer disconnects: for a handler that computes a
  // response which the peer can no longer receive. Hangup::full reacts to a reset, to an error, and on a unix socket to
  // a close. A close by a TCP peer looks like the end of its data and is detected only when something is sent to it.
  // Hangup::half reacts also to the end of the peer's data: for event streams, where the peer has nothing more to send.
  [[nodiscard]] net::HangupWatch cancel_on_hangup(net::Hangup when = net::Hangup::full) {
    return net::HangupWatch(*socket_, when);
  }

  // Ends the data in the direction to the peer; data from the peer can still be read.
  void shutdown_write() noexcept;
  // Makes the close a reset, which drops data that was not sent yet.
  void abort_on_close() noexcept;

  [[nodiscard]] Result<Address> peer_address() const noexcept;

 protected:
  [[nodiscard]] int fd() const noexcept { return socket_->fd(); }

 private:
  [[nodiscard]] Result<std::size_t> try_receive(std::span<std::byte> into, int flags) noexcept;
  [[nodiscard]] Result<std::size_t> try_transmit(std::span<const std::byte> from, int flags) noexcept;

  net::SocketOwner socket_;
};

}  // namespace volt
