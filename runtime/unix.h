// Unix domain sockets (unix(7)): streams, listeners and datagrams between processes of one machine. Their addresses are
// "unix:/run/app.sock", or "unix:@name" without a file.
//
// Threads, lifetime, cancellation: runtime/stream_socket.h, runtime/datagram_socket.h.
#pragma once

#include <sys/types.h>

#include <utility>

#include "runtime/datagram_socket.h"
#include "runtime/socket_file.h"
#include "runtime/tcp.h"

namespace volt {

// Who was at the other end when the connection was made. The kernel says so, not the peer.
struct PeerCredentials {
  pid_t process = 0;
  uid_t user = 0;
  gid_t group = 0;
};

class UnixStream : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;
  explicit UnixStream(StreamSocket stream) noexcept : StreamSocket(std::move(stream)) {}

  // Errors: as of connect(2); resource_unavailable_try_again if the listener's backlog is full, as the kernel does not
  // wait for that; invalid_argument for an address that is none of a unix socket.
  [[nodiscard]] static Task<Result<UnixStream>> connect(Address address);
  // Two ends of one connection. Errors: as of socketpair(2).
  [[nodiscard]] static Result<std::pair<UnixStream, UnixStream>> pair();

  // Errors: as of getsockopt(2).
  [[nodiscard]] Result<PeerCredentials> peer_credentials() const noexcept;
};

// TcpListener's ways, for addresses of unix sockets alone.
class UnixListener {
 public:
  // Errors: those of TcpListener::bind(); invalid_argument for any other address.
  [[nodiscard]] static Result<UnixListener> bind(const Address& address, ListenOptions options = {});

  // Errors: those of TcpListener.
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
  // As UnixListener::bind() treats a socket's file. Errors: as of socket(2) and bind(2); invalid_argument.
  [[nodiscard]] static Result<UnixDatagram> bind(const Address& address);
  // Without a name: nobody can send to it but who is connected to it. Errors: as of socket(2).
  [[nodiscard]] static Result<UnixDatagram> nameless();
  // Two that are connected to each other. Errors: as of socketpair(2).
  [[nodiscard]] static Result<std::pair<UnixDatagram, UnixDatagram>> pair();

 private:
  explicit UnixDatagram(int fd, SocketFile file = {}) : DatagramSocket(fd), file_(std::move(file)) {}

  SocketFile file_;
};

}  // namespace volt
