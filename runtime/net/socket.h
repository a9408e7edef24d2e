// Socket: a descriptor whose readiness tasks wait for, at home on one worker.
//
// Readiness at home, system calls anywhere: the home's reactor holds one armed poll and wakes the waiting task there;
// the task makes its system calls on whichever worker runs it. The kernel owns no memory of ours while a connection
// idles or is served, so stealing, cancelling and the epoll engine need no special cases.
//
// When the task keeps running elsewhere, the socket moves: at once if its home is stuck in a long task (runtime/sched/
// watchdog.h), else when half of its last eight waits began away from a home that has other work. For a moment both
// reactors report its edges; a superfluous one costs one read that finds nothing.
//
// Threads: belongs to one task at a time; the deadlines' timers fire on any worker.
// Lifetime: counted (io::Source). close() gives up the owner's reference.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "runtime/base/result.h"
#include "runtime/io/source.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/timers.h"

namespace volt::net {

using io::Direction;
using io::Hangup;

class Socket;

// The wait for one direction's next edge. A plain awaiter: it allocates nothing.
class ReadyWait final : public sched::Suspension {
 public:
  ReadyWait(Socket& socket, Direction direction) noexcept : socket_(socket), direction_(direction) {}

  [[nodiscard]] bool await_ready() noexcept;
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept;
  // Success: try the system call (it may still find nothing). Errors: timed_out; interrupted (Socket::interrupt).
  [[nodiscard]] Result<void> await_resume() const;
  [[nodiscard]] bool cancel() noexcept override;

 private:
  friend class Socket;
  Socket& socket_;
  const Direction direction_;
  std::errc failure_{};  // why the wait ended, if not by an edge
  bool yields_ = false;
};

// While it lives, its task is cancelled when the peer hangs up: the await that it is in, on whatever, throws Cancelled.
// One at a time on a socket, which outlives it. It fires once; on a socket where one has fired each later one does at
// once.
class HangupWatch {
 public:
  // Watches for the calling task.
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

  // The next read()s and accept()s need no wait: the last one left something, or nobody has looked yet.
  void set_more_to_read(bool more) noexcept { more_to_read_ = more; }

  // Waits for `direction` end with timed_out from then on. TimerNode::kNever: they do not. Moving a deadline that is
  // armed to a later time costs one store.
  void set_deadline(Direction direction, std::int64_t deadline_ns) noexcept;
  // The same, from now; nanoseconds::max(): never. In a task.
  void set_deadline_in(Direction direction, std::chrono::nanoseconds limit) noexcept;
  [[nodiscard]] std::int64_t deadline_ns(Direction direction) const noexcept;

  // A wait that is under way in that direction ends with error interrupted. Any thread, while the socket is not closed.
  void interrupt(Direction direction) noexcept;

  // What is sent next waits for the end of our data, or for more.
  void set_corked() noexcept { corked_ = true; }
  [[nodiscard]] bool corked() const noexcept { return corked_; }

  // The close is a close and nothing before it: for a reset, or for a socket that others have as well.
  void never_shut_down() noexcept { may_shut_down_ = false; }

  // Ends everything; the socket closes its descriptor when the reactor has let go of it. Not to be used afterwards.
  void close() noexcept;

 private:
  friend class ReadyWait;
  friend class HangupWatch;

  class Deadline final : public sched::Timer {
   public:
    Deadline(Socket& socket, Direction direction) noexcept : socket_(socket), direction_(direction) {}
    [[nodiscard]] io::Completion* fire() noexcept override;

   private:
    Socket& socket_;
    const Direction direction_;
  };

  ~Socket() override = default;
  [[nodiscard]] Deadline& deadline(Direction direction) noexcept {
    return direction == Direction::read ? read_deadline_ : write_deadline_;
  }
  // Whether the armed deadline has passed and its timer found nobody to wake, or is about to. In a wait.
  [[nodiscard]] bool deadline_fired(Direction direction) const noexcept;
  void settle_on(sched::Worker& worker) noexcept;
  [[nodiscard]] bool should_move_to(sched::Worker& worker) noexcept;

  Deadline read_deadline_;
  Deadline write_deadline_;
  sched::Scheduler* scheduler_ = nullptr;  // of the home; null before the first wait
  std::int64_t moved_at_ns_ = 0;
  std::uint8_t foreign_waits_ = 0;  // the last eight waits, 1: begun away from home
  bool more_to_read_ = false;
  bool may_shut_down_ = true;
  bool corked_ = false;
};

struct CloseSocket {
  void operator()(Socket* socket) const noexcept { socket->close(); }
};
using SocketOwner = std::unique_ptr<Socket, CloseSocket>;

}  // namespace volt::net
