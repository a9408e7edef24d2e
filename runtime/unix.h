// SPDX-License-Identifier: MIT

// Unix domain sockets (unix(7)): streams, listeners and datagrams between processes of one machine. Their addresses are
// "unix:/run/app.sock", or "unix:@name" without a file.
//
// Threads, lifetime, cancellation: see runtime/stream_socket.h and runtime/datagram_socket.h.
#pragma once

#include <sys/types.h>

#include <utility>

#include "runtime/datagram_socket.h"
#include "runtime/socket_file.h"
#include "runtime/tcp.h"

namespace volt {

// The process and user of the peer at the time of the connection, as reported by the kernel.
struct PeerCredentials {
  pid_t process = 0;
  uid_t user = 0;
  gid_t group = 0;
};

class UnixStream final : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;
  explicit UnixStream(StreamSocket stream) noexcept : StreamSocket(std::move(stream)) {}

  // Connects to `address`. Errors: those of connect(2); resource_unavailable_try_again if the listener's backlog is
  // full, because the kernel does not wait in that case; invalid_argument if `address` is not a unix address.
  [[nodiscard]] static Task<Result<UnixStream>> connect(Address address);
  // Creates the two ends of one connection. Errors: those of socketpair(2).
  [[nodiscard]] static Result<std::pair<UnixStream, UnixStream>> pair();

  // Returns the peer's credentials. Errors: those of getsockopt(2).
  [[nodiscard]] Result<PeerCredentials> peer_credentials() const noexcept;
};

// A TcpListener for unix addresses only.
class UnixListener {
 public:
  // Binds and listens as TcpListener::bind() does. Errors: those of TcpListener::bind(); invalid_argument if `address`
  // is not a unix address.
  [[nodiscard]] static Result<UnixListener> bind(const Address& address, ListenOptions options = {});

  // See TcpListener, also for the errors.
  [[nodiscard]] Task<Result<UnixStream>> accept();
  [[nodiscard]] Result<UnixStream> try_accept() noexcept;
  void interrupt_accept() noexcept { listener_.interrupt_accept(); }
  [[nodiscard]] const Address& local_address() const noexcept { return listener_.local_address(); }

 private:
  explicit UnixListener(TcpListener listener) noexcept : listener_(std::move(listener)) {}

  TcpListener listener_;
};

class UnixDatagram : public DatagramSocket {
 public:
  // Creates a socket that is bound to `address`. Replaces and removes the socket's file as UnixListener::bind() does.
  // Errors: those of socket(2) and bind(2); invalid_argument if `address` is not a unix address.
  [[nodiscard]] static Result<UnixDatagram> bind(const Address& address);
  // Creates a socket without a name: only a socket that is connected to it can send to it. Errors: those of socket(2).
  [[nodiscard]] static Result<UnixDatagram> nameless();
  // Creates two sockets that are connected to each other. Errors: those of socketpair(2).
  [[nodiscard]] static Result<std::pair<UnixDatagram, UnixDatagram>> pair();

 private:
  explicit UnixDatagram(int fd, SocketFile file = {}) : DatagramSocket(fd), file_(std::move(file)) {}

  SocketFile file_;
};

}  // namespace volt
