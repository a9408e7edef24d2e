// DatagramSocket: messages that arrive whole, or not at all. What UdpSocket and UnixDatagram have in common.
//
// Threads: belongs to one task at a time and may move with it; one task may receive while another sends.
// Lifetime: closes its descriptor when it goes. Does not outlive its Runtime. Cancellation: a wait that is cancelled
// has taken and sent nothing. Memory: waiting allocates nothing.
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
  std::size_t size_bytes = 0;  // in the buffer
  bool truncated = false;      // it was longer than the buffer, and the rest is lost
  Address from;                // of a unix socket without a name: "unix:"
};

class DatagramSocket {
 public:
  // Waits until there may be a datagram, or room for one. Errors: timed_out.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_->ready(net::Direction::read); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_->ready(net::Direction::write); }

  // The next datagram. Errors: operation_would_block, and as of recvfrom(2); connection_refused tells once of an
  // earlier one that nobody took, on a connected socket.
  [[nodiscard]] Result<Datagram> try_receive(std::span<std::byte> into) noexcept;
  // Errors: operation_would_block, and as of sendto(2): message_size if it is too long.
  [[nodiscard]] Result<void> try_send_to(std::span<const std::byte> datagram, const Address& to) noexcept;
  [[nodiscard]] Result<void> try_send(std::span<const std::byte> datagram) noexcept;  // where it is connected

  // Wait, then do so. Errors: timed_out, and as above. A unix datagram that finds its receiver's queue full waits where
  // the socket is connected; else it is the error operation_would_block, as nothing tells when there is room again.
  [[nodiscard]] Task<Result<Datagram>> receive(std::span<std::byte> into);
  [[nodiscard]] Task<Result<void>> send_to(std::span<const std::byte> datagram, Address to);
  [[nodiscard]] Task<Result<void>> send(std::span<const std::byte> datagram);

  // From now on sends there, and receives from there only. Does not wait. Errors: as of connect(2).
  [[nodiscard]] Result<void> connect(const Address& peer) noexcept;

  // Waits for that direction end with timed_out when `limit` from now has passed; nanoseconds::max(): never.
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::read, limit);
  }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::write, limit);
  }

  // Where it is bound: with the port that the kernel chose for port 0. Errors: as of getsockname(2).
  [[nodiscard]] Result<Address> local_address() const noexcept;

 protected:
  // Takes over a non-blocking descriptor.
  explicit DatagramSocket(int fd) : socket_(new net::Socket(fd, io::Ends::pass)) {}
  [[nodiscard]] int fd() const noexcept { return socket_->fd(); }

 private:
  [[nodiscard]] Result<void> transmit(std::span<const std::byte> datagram, const Address* to) noexcept;

  net::SocketOwner socket_;
};

}  // namespace volt
