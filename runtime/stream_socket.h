// StreamSocket: a connected stream socket and the transfers on it. What TcpStream and UnixStream have in common.
//
// Threads: belongs to one task at a time and may move with it, or into a task that it is passed to.
// Lifetime: closes its connection when it goes. Does not outlive its Runtime.
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
  // Takes over a connected, non-blocking descriptor.
  explicit StreamSocket(int fd) : socket_(new net::Socket(fd)) {}
  explicit StreamSocket(net::SocketOwner socket) noexcept : socket_(std::move(socket)) {}

  // Waits until a read may find something (or the end). Errors: timed_out, interrupted.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_->ready(net::Direction::read); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_->ready(net::Direction::write); }

  // Bytes read; 0 at the end of the peer's data (or for an empty span). Errors: operation_would_block, and as of
  // recv(2).
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept;
  // The same, and the bytes stay to be read. The next readable() waits for further ones.
  [[nodiscard]] Result<std::size_t> try_peek(std::span<std::byte> into) noexcept;
  // The next readable() does not wait: whoever reads through a buffer of its own has something left in it.
  void expect_more() noexcept { socket_->set_more_to_read(true); }
  // Bytes taken by the kernel, maybe fewer than given. Errors: operation_would_block, and as of send(2); no SIGPIPE.
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept;

  // The same where try_send_file() follows at once: what is written may wait for the file's first bytes, to share a
  // packet with them.
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept;
  // Bytes of the file, from `offset` on, that the kernel took; 0: the file ends before `offset`. Errors:
  // operation_would_block, and as of sendfile(2).
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept;

  // What is written from here on may wait for shutdown_write(), which follows at once, to share a packet with the end.
  void cork() noexcept { socket_->set_corked(); }

  // Waits, then reads. Errors: timed_out, and as of recv(2).
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<std::byte> into);
  // Writes everything. Errors: timed_out, and as of send(2).
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte> from);

  // Waits for that direction end with timed_out when `limit` from now has passed; nanoseconds::max(): never.
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::read, limit);
  }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept {
    socket_->set_deadline_in(net::Direction::write, limit);
  }

  // Ends a wait for readable() that is under way, with error interrupted. Any thread, while the stream exists.
  void interrupt_read() noexcept { socket_->interrupt(net::Direction::read); }

  // While the result lives, the calling task is cancelled when the peer is gone: for a handler that computes an answer
  // which nobody will read. Hangup::full reacts to a reset and to an error, and of a unix socket to a close; a TCP peer
  // that closes is known to be gone only when something is sent to it, for all we see is the end of its data.
  // Hangup::half reacts to that: for streams of events, where it has no more to say.
  [[nodiscard]] net::HangupWatch cancel_on_hangup(net::Hangup when = net::Hangup::full) {
    return net::HangupWatch(*socket_, when);
  }

  // The peer sees the end of our data; its own still comes.
  void shutdown_write() noexcept;
  // Makes the close a reset: what was not sent is dropped.
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
