// SPDX-License-Identifier: MIT

// DatagramSocket: a socket for messages that arrive whole or not at all. The common base of UdpSocket and UnixDatagram.
//
// Threads: belongs to one task at a time and may move with it; one task may receive while another sends.
// Lifetime: closes its descriptor when it is destroyed. Cancellation: a cancelled wait has received and sent nothing.
// Memory: waiting allocates nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {

struct Datagram {
  std::size_t size_bytes = 0;  // number of bytes written to the buffer
  bool truncated = false;      // the datagram was longer than the buffer; the rest is lost
  Address from;                // sender; "unix:" for a unix socket without a name
};

class DatagramSocket {
 public:
  // Waits until there may be a datagram to receive (readable), or room to send one (writable). Errors: timed_out.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_->ready(net::Direction::read); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_->ready(net::Direction::write); }

  // Receives the next datagram. Never waits. Errors: operation_would_block, and those of recvfrom(2); a connected
  // socket also returns connection_refused, once, after an earlier datagram found no receiver. no_buffer_space: the
  // reactor cannot watch the socket, for want of memory, so a wait would not end.
  [[nodiscard]] Result<Datagram> try_receive(std::span<std::byte> into) noexcept;
  // Sends a datagram. Never waits. try_send() needs a connected socket. Errors: operation_would_block, those of
  // sendto(2), such as message_size for a datagram that is too long, and no_buffer_space as in try_receive().
  [[nodiscard]] Result<void> try_send_to(std::span<const std::byte> datagram, const Address& to) noexcept;
  [[nodiscard]] Result<void> try_send(std::span<const std::byte> datagram) noexcept;

  // Wait until the socket is ready, then receive or send. Errors: timed_out, and those of the try_ functions. If the
  // queue of a unix receiver is full, send() waits. send_to() then fails with operation_would_block, because the kernel
  // does not report when a receiver that is not connected has room again.
  [[nodiscard]] Task<Result<Datagram>> receive(std::span<std::byte> into);
  [[nodiscard]] Task<Result<void>> send_to(std::span<const std::byte> datagram, Address to);
  [[nodiscard]] Task<Result<void>> send(std::span<const std::byte> datagram);

  // Connects the socket: from then on it sends to `peer` and receives only from `peer`. Does not wait. Errors: those of
  // connect(2).
  [[nodiscard]] Result<void> connect(const Address& peer) noexcept;

  // Sets the deadline of waits to receive, or to send, to `limit` from now. Waits fail with timed_out after it.
  // nanoseconds::max() means no deadline.
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::read, limit);
  }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::write, limit);
  }

  // Returns the address the socket is bound to, with the port that the kernel chose if port 0 was asked for. Errors:
  // those of getsockname(2).
  [[nodiscard]] Result<Address> local_address() const noexcept;

 protected:
  // Takes ownership of a non-blocking descriptor.
  explicit DatagramSocket(int fd) : socket_(net::own_socket(fd, io::Ends::pass)) {}
  [[nodiscard]] int fd() const noexcept { return socket_->fd(); }

 private:
  [[nodiscard]] Result<void> transmit(std::span<const std::byte> datagram, const Address* to) noexcept;

  net::SocketOwner socket_;
};

}  // namespace volt
