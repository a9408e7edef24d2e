// TCP: listeners and streams. They take unix stream sockets as well, whose addresses are "unix:...".
//
// Threads: each belongs to one task at a time and may move with it, or into a task that it is passed to.
// Lifetime: a stream closes its connection when it goes. None outlives its Runtime.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/socket_file.h"
#include "runtime/stream.h"
#include "runtime/task.h"

namespace volt {

namespace net {
struct CloseSocket {
  void operator()(Socket* socket) const noexcept { socket->close(); }
};
using SocketOwner = std::unique_ptr<Socket, CloseSocket>;
}  // namespace net

class TcpStream {
 public:
  // Takes over a connected, non-blocking descriptor.
  explicit TcpStream(int fd) : socket_(new net::Socket(fd)) {}

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

  // Waits, then reads. Errors: timed_out, and as of recv(2).
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<std::byte> into);
  // Writes everything. Errors: timed_out, and as of send(2).
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte> from);

  // Waits for that direction end with timed_out when `limit` from now has passed; nanoseconds::max(): never.
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept { set_deadline_in(net::Direction::read, limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept { set_deadline_in(net::Direction::write, limit); }

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

 private:
  void set_deadline_in(net::Direction direction, std::chrono::nanoseconds limit) noexcept;
  [[nodiscard]] Result<std::size_t> try_receive(std::span<std::byte> into, int flags) noexcept;
  [[nodiscard]] Result<std::size_t> try_transmit(std::span<const std::byte> from, int flags) noexcept;

  net::SocketOwner socket_;
};

struct ListenOptions {
  // Let further listeners of this user share the port: the kernel deals out the connections. Not for unix sockets.
  bool reuse_port = false;
  std::uint32_t file_mode = 0660;  // of a unix socket's file: who may write to it may connect
  int backlog = 4096;              // connections that wait for accept; the kernel bounds it by net.core.somaxconn
};

class TcpListener {
 public:
  // A unix socket's file is replaced if nobody listens on it, and removed with the listener.
  // Errors: as of socket(2), bind(2), chmod(2) and listen(2).
  [[nodiscard]] static Result<TcpListener> bind(const Address& address, ListenOptions options = {});
  // Takes over a listening stream socket that somebody else has made (runtime/inherited.h): makes it non-blocking and
  // close-on-exec. A unix socket's file is left to whoever made it. Errors, which leave `fd` with the caller:
  // invalid_argument if it does not listen or is no stream; as of getsockopt(2), not_a_socket among them.
  [[nodiscard]] static Result<TcpListener> adopt(int fd);

  // Waits for a connection. Out of descriptors it tells one waiting client so by closing its connection, logs that at
  // most once a second and tries again after a pause. Errors: interrupted; as of accept4(2) where they end the listener.
  [[nodiscard]] Task<Result<TcpStream>> accept();
  // A connection that waits already. Errors: operation_would_block; as of accept4(2).
  [[nodiscard]] Result<TcpStream> try_accept() noexcept;

  // A descriptor of the same socket, close-on-exec, for another process to listen with: what connects goes to either.
  // Error: as of fcntl(2).
  [[nodiscard]] Result<int> duplicate();
  // A unix socket's file, if this listener would remove it: it no longer does.
  [[nodiscard]] SocketFile take_file() noexcept { return std::move(file_); }

  // Ends a wait in accept() that is under way, with error interrupted. Any thread, while the listener exists.
  void interrupt_accept() noexcept { socket_->interrupt(net::Direction::read); }

  // Where it listens: with the port that the kernel chose for port 0.
  [[nodiscard]] const Address& local_address() const noexcept { return local_address_; }

 private:
  TcpListener(int fd, const Address& local_address, SocketFile file);
  [[nodiscard]] Task<> pause_without_descriptors(int error_number);

  net::SocketOwner socket_;
  SocketFile file_;
  Address local_address_;
  int reserve_fd_;                   // given up for a moment to turn a client away
  std::int64_t quiet_until_ns_ = 0;  // no further log line before

 public:
  TcpListener(TcpListener&& other) noexcept;
  TcpListener& operator=(TcpListener&& other) noexcept;
  ~TcpListener();
};

}  // namespace volt
