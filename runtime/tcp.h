// TCP: listeners and streams. They take unix stream sockets as well, whose addresses are "unix:...".
//
// Threads: each belongs to one task at a time and may move with it, or into a task that it is passed to.
// Lifetime: a stream closes its connection when it goes. None outlives its Runtime.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/socket_file.h"
#include "runtime/stream_socket.h"
#include "runtime/task.h"

namespace volt {

struct ConnectOptions {
  // From one address' attempt to the next one's, if it has not failed by then.
  std::chrono::nanoseconds attempt_delay = std::chrono::milliseconds(250);
};

class TcpStream : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;

  // Connects, for as long as the kernel tries (two minutes, say): for less, within(). Cancelled, it closes what was
  // under way. Errors: as of socket(2) and connect(2).
  [[nodiscard]] static Task<Result<TcpStream>> connect(Address address);
  // To whichever answers first, one after the other and side by side (RFC 8305, "happy eyeballs"): the families take
  // turns, the first address' first; the next attempt begins when one has failed, or `attempt_delay` after the last
  // one began; the losers are closed. Errors: that of the first that failed; invalid_argument if there are none.
  [[nodiscard]] static Task<Result<TcpStream>> connect(std::vector<Address> addresses, ConnectOptions options = {});
  // To what resolve() knows under that name. Errors: of both.
  [[nodiscard]] static Task<Result<TcpStream>> connect(std::string host, std::uint16_t port,
                                                       ConnectOptions options = {});
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
  // That many listeners that share the port: the kernel deals out the connections. Errors: as of bind(); address_in_use
  // also where another process listens that shares its port, and would get some of them.
  [[nodiscard]] static Result<std::vector<TcpListener>> bind_shared(const Address& address, std::uint32_t count);
  // Takes over a listening stream socket that somebody else has made (runtime/inherited.h): makes it non-blocking and
  // close-on-exec. A unix socket's file is left to whoever made it. Errors, which leave `fd` with the caller:
  // invalid_argument if it does not listen or is no stream; as of getsockopt(2), not_a_socket among them.
  [[nodiscard]] static Result<TcpListener> adopt(int fd);

  // Waits for a connection. Out of descriptors it tells one waiting client so by closing its connection, logs that at
  // most once a second and tries again after a pause. Where the kernel cannot watch the socket (ENOSPC, ENOMEM) it says
  // so too, and looks again when it is called again. Errors: interrupted, also after such a pause: call again; as of
  // accept4(2) where they end the listener.
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
  void warn_of_pause(int error_number);

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
