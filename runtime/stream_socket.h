// SPDX-License-Identifier: MIT

// StreamSocket: a connected stream socket. The common base of TcpStream and UnixStream.
//
// Threads: belongs to one task at a time and may move with it, or into a task that it is passed to; one task may read
// while another writes. Lifetime: closes its connection when it is destroyed. May outlive its Runtime (runtime.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt {

class StreamSocket : public Stream {
 public:
  // Takes ownership of a connected, non-blocking descriptor.
  explicit StreamSocket(int fd) : socket_(net::own_socket(fd)) {}
  explicit StreamSocket(net::SocketOwner socket) noexcept : socket_(std::move(socket)) {}

  [[nodiscard]] net::ReadyWait readable() noexcept final { return socket_->ready(net::Direction::read); }
  [[nodiscard]] net::ReadyWait writable() noexcept final { return socket_->ready(net::Direction::write); }
  // Returns a wait for readable() that fails at once with interrupted: for a layer whose reader did not wait yet when
  // the reason for an interrupt occurred.
  [[nodiscard]] net::ReadyWait interrupted_readable() noexcept {
    return {*socket_, net::Direction::read, std::errc::interrupted};
  }

  // Errors: operation_would_block, and those of recv(2).
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept final;
  // Reads available data as try_read() does, but leaves it in the socket. The next readable() waits for further data.
  // Errors: those of try_read().
  [[nodiscard]] Result<std::size_t> try_peek(std::span<std::byte> into) noexcept;
  // Raises no SIGPIPE. Errors: operation_would_block, and those of send(2).
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept final;

  // Writes like try_write(), but the kernel may hold the data back until more follows, so that the data and the first
  // bytes of a file share a packet. The caller must call try_send_file() immediately afterwards.
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept;
  // Sends up to `size` bytes of the file `fd` from `offset`, and returns the number of bytes that the kernel accepted;
  // 0 if the file ends before `offset`. Never waits. Errors: operation_would_block, and those of sendfile(2).
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept;

  // Lets the kernel hold back the data of later writes, so that the last data and the FIN share a packet. The caller
  // must call shutdown_write() right after those writes.
  void cork() noexcept { socket_->set_corked(); }

  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept final {
    socket_->set_deadline_in(net::Direction::read, limit);
  }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept final {
    socket_->set_deadline_in(net::Direction::write, limit);
  }

  void expect_more() noexcept final { socket_->set_more_to_read(true); }
  void interrupt_read() noexcept final { socket_->interrupt(net::Direction::read); }

  // While the result exists, the calling task is cancelled when the peer disconnects: for a handler that computes a
  // response which the peer can no longer receive. Hangup::full reacts to a reset, to an error, and on a unix socket to
  // a close. A close by a TCP peer looks like the end of its data and is detected only when something is sent to it.
  // Hangup::half reacts also to the end of the peer's data: for event streams, where the peer has nothing more to send.
  [[nodiscard]] net::HangupWatch cancel_on_hangup(net::Hangup when = net::Hangup::full) {
    return net::HangupWatch(*socket_, when);
  }

  void shutdown_write() noexcept final;
  // Makes the close a reset, which drops data that was not sent yet.
  void abort_on_close() noexcept;

  // Returns whether the peer has ended its data or has reset the connection. Never waits. Costs a system call.
  [[nodiscard]] bool peer_closed() const noexcept;

  // Returns the peer's address. The IP address of an accepted connection's peer stays known after a reset, and costs no
  // system call. Errors: those of getpeername(2).
  [[nodiscard]] Result<Address> peer_address() const noexcept;

  // Returns how long ago the peer's last data arrived; if none has arrived yet, how long ago the connection was
  // established. Accurate to a tick of the kernel (1 to 10 ms). Errors: those of getsockopt(2); not_supported for a
  // unix socket.
  [[nodiscard]] Result<std::chrono::milliseconds> time_since_received() const noexcept;

 protected:
  [[nodiscard]] int fd() const noexcept { return socket_->fd(); }

 private:
  [[nodiscard]] Result<std::size_t> try_receive(std::span<std::byte> into, int flags) noexcept;
  [[nodiscard]] Result<std::size_t> try_transmit(std::span<const std::byte> from, int flags) noexcept;

  net::SocketOwner socket_;
};

}  // namespace volt
