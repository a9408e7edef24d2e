// SPDX-License-Identifier: MIT

// Socket: a descriptor with a home worker, whose readiness tasks wait for.
//
// The reactor of the home worker has one armed poll of the descriptor, and wakes the waiting task there. The task makes
// its system calls on the worker that runs it, which may be another one. The kernel holds no pointers to buffers of a
// connection, so stealing, cancelling and the epoll engine need no special cases.
//
// When the task waits on another worker, the socket may move to that worker. If the home is stuck in a long task
// (runtime/sched/watchdog.h), the socket moves at once. Otherwise it moves when half of its last eight waits began on
// other workers and its home has other tasks queued, but at most every 100 ms. For a moment both reactors report its
// edges. A superfluous edge costs one read that finds no data.
//
// Threads: a socket belongs to one task at a time, or to a reader and a writer; the timers of its deadlines fire on any
// worker.
// Lifetime: reference-counted (io::Source). close() drops the owner's reference. A socket may outlive its scheduler;
// another one can use it then.
//
// Edges
//   N1  settle() stores the scheduler  ->  settle() or close() loads it : the home worker, and its reactor, are set
//   N2  settle() takes and gives back `settling_` : of a reader and a writer that both find no home, one sets it
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/base/result.h"
#include "runtime/io/source.h"
#include "runtime/net/address.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/timer.h"

namespace volt::net {

using io::Direction;
using io::Hangup;

class Socket;

// The wait for the next edge of one direction. A plain awaiter, which allocates nothing.
class ReadyWait final : public sched::Suspension {
 public:
  ReadyWait(Socket& socket, Direction direction) noexcept : socket_(socket), direction_(direction) {}
  // A wait that ends at once, with `failure`.
  ReadyWait(Socket& socket, Direction direction, std::errc failure) noexcept
      : socket_(socket), direction_(direction), failure_(failure) {}

  [[nodiscard]] bool await_ready() noexcept;
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept;
  // On success the caller should try its system call, which may still find no data. Errors: timed_out; interrupted (by
  // Socket::interrupt).
  [[nodiscard]] Result<void> await_resume() const;
  [[nodiscard]] bool cancel() noexcept override;

 private:
  friend class Socket;
  Socket& socket_;
  const Direction direction_;
  std::errc failure_{};  // why the wait ended, if no edge ended it
  bool yields_ = false;
};

// While a HangupWatch exists, its task is cancelled when the peer hangs up: the task's current await, whatever it waits
// for, throws Cancelled. A socket can have one watch at a time, and must outlive the watch. A watch fires at most once.
// After a watch of a socket has fired, every later watch of that socket fires at once.
class HangupWatch {
 public:
  // Watches the socket on behalf of the calling task.
  HangupWatch(Socket& socket, Hangup when);
  ~HangupWatch();
  HangupWatch(const HangupWatch&) = delete;
  HangupWatch& operator=(const HangupWatch&) = delete;

 private:
  Socket& socket_;
  sched::TaskHeader& task_;
  bool armed_;
};

class Socket final : public io::Source {
 public:
  explicit Socket(int fd, io::Ends ends = io::Ends::last) noexcept
      : Source(fd, ends), read_deadline_(*this, Direction::read), write_deadline_(*this, Direction::write) {}

  [[nodiscard]] ReadyWait ready(Direction direction) noexcept { return ReadyWait(*this, direction); }

  // If `more` is true, a wait for readability returns at once, and the caller tries read() or accept() before it waits
  // for the reactor. Callers pass true if the last call probably left data in the socket, and for a new listener.
  void set_more_to_read(bool more) noexcept { more_to_read_ = more; }

  // Sets the time from which waits for `direction` end with timed_out. TimerNode::kNever removes the deadline. Moving
  // an armed deadline to a later time costs one store.
  void set_deadline(Direction direction, std::int64_t deadline_ns) noexcept;
  // Sets the deadline to `limit` from now; nanoseconds::max() removes it. Must be called in a task.
  void set_deadline_in(Direction direction, std::chrono::nanoseconds limit) noexcept;
  [[nodiscard]] std::int64_t deadline_ns(Direction direction) const noexcept;

  // If a task waits for `direction`, ends the wait with the error interrupted. Any thread may call this while the
  // socket is not closed.
  void interrupt(Direction direction) noexcept;

  // Makes the following sends pass MSG_MORE: the kernel holds back an incomplete packet until more data is sent or the
  // sending side is closed.
  void set_corked() noexcept { corked_ = true; }
  [[nodiscard]] bool corked() const noexcept { return corked_; }

  // Keeps the peer's address, which accept4(2) has written to `peer` in the form for its family. Only IP addresses are
  // kept. Must be called before other tasks or threads use the socket.
  void set_peer(const sockaddr_in6& peer) noexcept {
    if (peer.sin6_family == AF_INET || peer.sin6_family == AF_INET6) peer_ = peer;
  }
  // Returns the address that set_peer() has kept, if any. After a reset of the connection the kernel does not tell it.
  [[nodiscard]] std::optional<Address> peer() const noexcept;

  // Makes close() only close the descriptor, without a shutdown before it: for a reset, or for a socket that other
  // owners share.
  void never_shut_down() noexcept { may_shut_down_ = false; }

  // Removes the deadlines and drops the owner's reference. The descriptor is closed when the reactors have dropped
  // their references, too. The socket must not be used afterwards.
  void close() noexcept;

 private:
  friend class ReadyWait;
  friend class HangupWatch;

  class Deadline final : public sched::Timer {
   public:
    Deadline(Socket& socket, Direction direction) noexcept : socket_(socket), direction_(direction) {}
    [[nodiscard]] io::Completion* fire() noexcept override;
    using Timer::disarm;

   private:
    Socket& socket_;
    const Direction direction_;
  };

  ~Socket() override = default;
  [[nodiscard]] Deadline& deadline(Direction direction) noexcept {
    return direction == Direction::read ? read_deadline_ : write_deadline_;
  }
  // Returns whether the timer of the armed deadline has fired, or is about to fire. Called after start_wait(): a timer
  // that fired earlier has not found this wait.
  [[nodiscard]] bool deadline_fired(Direction direction) const noexcept;
  // Makes `worker` the home if the socket has none in its runtime yet. Returns false if it has one. A reader and a
  // writer may call this at once: then one of them does it, and what the reactor reports reaches the other as well.
  [[nodiscard]] bool settle(sched::Worker& worker) noexcept;
  // Makes `worker`, on which a task waits for data, the home if that pays. The socket must have a home in its runtime.
  void consider_moving_to(sched::Worker& worker) noexcept;
  void adopt(sched::Worker& worker, sched::Scheduler& ended) noexcept;
  [[nodiscard]] bool should_move_to(sched::Worker& worker) noexcept;

  Deadline read_deadline_;
  Deadline write_deadline_;
  base::Atomic<sched::Scheduler*> scheduler_{nullptr};  // scheduler of the home worker; null before the first wait
  std::int64_t moved_at_ns_ = 0;
  base::Atomic<bool> settling_{false};
  std::uint8_t foreign_waits_ = 0;  // one bit for each of the last eight waits; 1 if it began away from home
  bool more_to_read_ = false;
  bool may_shut_down_ = true;
  bool corked_ = false;
  sockaddr_in6 peer_{};  // a sockaddr_in if its family is AF_INET; AF_UNSPEC: not kept
};

struct CloseSocket {
  void operator()(Socket* socket) const noexcept { socket->close(); }
};
using SocketOwner = std::unique_ptr<Socket, CloseSocket>;

// Creates a socket that takes ownership of `fd`. If it throws std::bad_alloc, it closes `fd`.
[[nodiscard]] SocketOwner own_socket(int fd, io::Ends ends = io::Ends::last);

}  // namespace volt::net
