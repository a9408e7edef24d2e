// SPDX-License-Identifier: MIT

// TCP listeners and streams. They also accept addresses of unix stream sockets ("unix:...").
//
// Threads: each object belongs to one task at a time and may move with it, or into a task that it is passed to.
// Lifetime: a stream closes its connection when it is destroyed. Each may outlive its Runtime (runtime/runtime.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/notify.h"
#include "runtime/result.h"
#include "runtime/socket_file.h"
#include "runtime/stream_socket.h"
#include "runtime/task.h"

namespace volt {

struct ConnectOptions {
  // Delay between the starts of two attempts. If an attempt fails earlier, the next one starts immediately.
  std::chrono::nanoseconds attempt_delay = std::chrono::milliseconds(250);
};

class TcpStream final : public StreamSocket {
 public:
  using StreamSocket::StreamSocket;

  // Connects to `address`. Waits as long as the kernel tries, which is about two minutes; use within() for a shorter
  // limit. If cancelled, closes the unfinished connection. Errors: those of socket(2) and connect(2).
  [[nodiscard]] static Task<Result<TcpStream>> connect(Address address);
  // Connects to the first address that accepts, with overlapping attempts (RFC 8305, "Happy Eyeballs"). Address
  // families alternate, beginning with that of the first address. The next attempt starts when one has failed, or
  // `attempt_delay` after the start of the last one; all but the first successful connection are closed. Errors: that
  // of the first attempt that failed; invalid_argument if `addresses` is empty.
  [[nodiscard]] static Task<Result<TcpStream>> connect(std::vector<Address> addresses, ConnectOptions options = {});
  // Resolves `host` with resolve() and connects to its addresses. Errors: those of resolve() and of connect().
  [[nodiscard]] static Task<Result<TcpStream>> connect(std::string host, std::uint16_t port,
                                                       ConnectOptions options = {});
};

struct ListenOptions {
  // Lets further listeners of this user share the port (SO_REUSEPORT): the kernel distributes the connections. Not for
  // unix sockets.
  bool reuse_port = false;
  std::uint32_t file_mode = 0660;  // mode of a unix socket's file; connecting needs write permission
  int backlog = 4096;              // connections that wait for accept(); limited by net.core.somaxconn
  bool deferred = false;           // the socket only has its address, and refuses connections until start()
};

class TcpListener {
 public:
  // Binds and listens. A unix socket's file is replaced if no process listens on it, and removed when the listener is
  // destroyed. Errors: those of socket(2), bind(2), chmod(2) and listen(2).
  [[nodiscard]] static Result<TcpListener> bind(const Address& address, ListenOptions options = {});
  // Creates `count` listeners that share one port: the kernel distributes the connections. Errors: those of bind();
  // also address_in_use if another process shares this port, because that process would receive some of the
  // connections.
  [[nodiscard]] static Result<std::vector<TcpListener>> bind_shared(const Address& address, std::uint32_t count,
                                                                    bool deferred = false);
  // Begins to listen, if ListenOptions::deferred has put it off. Errors: those of listen(2); address_in_use also if
  // another process has begun to listen at the address in the meantime.
  [[nodiscard]] Result<void> start() noexcept;
  // Takes ownership of a listening stream socket that was created elsewhere (runtime/inherited.h); makes it
  // non-blocking and close-on-exec. Does not remove a unix socket's file. Errors, after which the caller still owns
  // `fd`: invalid_argument if `fd` does not listen or is not a stream socket; those of getsockopt(2), such as
  // not_a_socket.
  [[nodiscard]] static Result<TcpListener> adopt(int fd);

  // Waits for a connection and accepts it. If no descriptor is available, accept() closes the connection of one waiting
  // client, logs the shortage at most once a second, and tries again after a pause. If the kernel cannot watch the
  // socket (ENOSPC, ENOMEM), accept() logs that as well and returns interrupted after a pause. Errors of a single
  // connection, which accept4(2) reports as well, are ignored; if many follow one another, accept() logs that and
  // pauses. Errors: interrupted, after which the caller may call accept() again; those of accept4(2) which mean that
  // the socket does not listen any more.
  [[nodiscard]] Task<Result<TcpStream>> accept();
  // Accepts a connection that already waits. Never waits. Errors: operation_would_block; those of accept4(2).
  [[nodiscard]] Result<TcpStream> try_accept() noexcept;

  // For a listener that is about to be destroyed. The destruction resets clients that have connected and were not
  // accepted, and a client could connect after the last accept. Therefore, from now on, the kernel ignores the first
  // packet of each new client. The client repeats it after a second; it is then refused, or reaches the next process
  // that listens. A new client of a unix socket is refused immediately.
  //
  // Returns true if handshakes of earlier clients may be in progress: the caller should go on accepting for as long as
  // a handshake takes. Does nothing and returns false if another process may listen with this socket (adopt(),
  // duplicate()), or if the kernel does not permit it.
  [[nodiscard]] bool ignore_new_clients() noexcept;

  // Returns a duplicate of this socket's descriptor (close-on-exec), with which another process can listen. Each
  // connection is accepted by one of the two processes. The caller owns the descriptor. Errors: those of fcntl(2).
  [[nodiscard]] Result<int> duplicate();
  // Call when all duplicates have been closed, and no other process has one: then ignore_new_clients() has its effect
  // again. Does nothing after adopt(). Any thread may call this while the listener exists.
  void note_duplicates_closed() noexcept;
  // Transfers the ownership of a unix socket's file to the caller, if this listener has it. The listener then no longer
  // removes the file.
  [[nodiscard]] SocketFile take_file() noexcept { return std::move(file_); }

  // Ends a wait or a pause in accept() that is in progress, with the error interrupted. Any thread may call it while
  // the listener exists.
  void interrupt_accept() noexcept {
    socket_->interrupt(net::Direction::read);
    interrupted_->notify_all();
  }

  // Returns how many clients were refused because no descriptor was left. Any thread may call it while the listener
  // exists.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_->load(base::relaxed); }  // relaxed: a report

  // Returns the address on which the socket listens, with the port that the kernel chose if port 0 was asked for.
  [[nodiscard]] const Address& local_address() const noexcept { return local_address_; }

 private:
  enum class Sharing : std::uint8_t { none, duplicated, adopted };

  TcpListener(int fd, const Address& local_address, SocketFile file);
  // Accepts and closes one connection with the spare descriptor.
  void refuse_one() noexcept;
  // Logs the error and waits for a moment. Returns true if interrupt_accept() has ended the wait.
  [[nodiscard]] Task<bool> pause(int error_number);
  void warn_of_pause(int error_number);
  [[nodiscard]] bool listens() const noexcept;

  net::SocketOwner socket_;
  SocketFile file_;
  Address local_address_;
  int reserve_fd_ = -1;              // spare descriptor, closed briefly to accept and reject one client
  std::int64_t quiet_until_ns_ = 0;  // no further log line before this time
  int deferred_backlog_ = 0;         // of start(); 0: the socket listens
  base::Atomic<Sharing> sharing_{Sharing::none};
  std::unique_ptr<base::Atomic<std::uint64_t>> refused_ = std::make_unique<base::Atomic<std::uint64_t>>(0);
  std::unique_ptr<Notify> interrupted_ = std::make_unique<Notify>();  // wakes pause()

 public:
  TcpListener(TcpListener&& other) noexcept;
  TcpListener& operator=(TcpListener&& other) noexcept;
  ~TcpListener();
};

}  // namespace volt
