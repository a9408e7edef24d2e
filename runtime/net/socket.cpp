// SPDX-License-Identifier: MIT

#include "runtime/net/socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "runtime/base/check.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/timers.h"

namespace volt::net {
namespace {

constexpr int kForeignWaitsToMove = 4;               // number of the last eight waits
constexpr std::int64_t kMovesApartNs = 100'000'000;  // a socket between two busy workers must not bounce

}  // namespace

bool ReadyWait::await_ready() noexcept {
  if (begin() || failure_ != std::errc{}) return true;
  if (socket_.deadline_ns(direction_) <= sched::current()->worker->tick_time_ns()) {
    failure_ = std::errc::timed_out;
    return true;
  }
  if (budget_exhausted()) {
    yields_ = true;
    return false;
  }
  if (direction_ == Direction::read && socket_.more_to_read_) return true;
  return socket_.try_consume(direction_);
}

bool ReadyWait::await_suspend(coro::AwaitPoint point) noexcept {
  if (yields_) {
    yield_at(point);
    return true;
  }
  // A socket may have a reader and a writer in two tasks, which may run on different workers. Only waits for reading
  // move the socket, so that the two do not move it back and forth.
  sched::Worker& worker = *sched::current()->worker;
  if (!socket_.settle(worker) && direction_ == Direction::read) socket_.consider_moving_to(worker);
  suspend_at(point, direction_ == Direction::read ? WaitsFor::readable : WaitsFor::writable);
  if (!socket_.start_wait(direction_, *this)) return false;
  // The timer may have fired before start_wait() registered this wait, and then found no waiter: it may be in the wheel
  // of another worker, or its deadline may have passed since the tick began.
  if (!socket_.deadline_fired(direction_) || socket_.stop_wait(direction_) == nullptr) return true;
  failure_ = std::errc::timed_out;
  return false;
}

Result<void> ReadyWait::await_resume() const {
  throw_if_cancelled();
  if (failure_ == std::errc{}) return {};
  return error(failure_);
}

bool ReadyWait::cancel() noexcept {
  if (socket_.stop_wait(direction_) == nullptr) return false;
  set_cancelled();
  return true;
}

io::Completion* Socket::Deadline::fire() noexcept {
  io::Completion* waiter = socket_.stop_wait(direction_);
  if (waiter != nullptr) static_cast<ReadyWait*>(waiter)->failure_ = std::errc::timed_out;
  return waiter;
}

HangupWatch::HangupWatch(Socket& socket, Hangup when) : socket_(socket), task_(*sched::current()->task) {
  [[maybe_unused]] const bool settled = socket.settle(*sched::current()->worker);
  task_.state.add_reference();
  armed_ = socket.start_hangup_watch(task_, when);
  if (armed_) return;
  sched::cancel(task_);
  task_.release();
}

HangupWatch::~HangupWatch() {
  if (armed_ && socket_.stop_hangup_watch()) task_.release();
}

std::optional<Address> Socket::peer() const noexcept {
  if (peer_.sin6_family == AF_UNSPEC) return std::nullopt;
  const socklen_t bytes = peer_.sin6_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  return Address::from(reinterpret_cast<const sockaddr*>(&peer_), bytes);
}

void Socket::interrupt(Direction direction) noexcept {
  io::Completion* waiter = stop_wait(direction);
  if (waiter == nullptr) return;
  static_cast<ReadyWait*>(waiter)->failure_ = std::errc::interrupted;
  sched::wake(*waiter->task);
}

void Socket::set_deadline(Direction direction, std::int64_t deadline_ns) noexcept {
  sched::current()->timers->move(deadline(direction), deadline_ns);
}

// The tick may have begun long ago, if a turn computes or the worker had no processor. So the time is that of the tick
// or that of the coarse clock, whichever is later. A deadline that has passed counts from the tick, so that the next
// wait fails at once.
//
// Rejected: the precise clock, which costs several times as much for each request, for an error of a few milliseconds.
void Socket::set_deadline_in(Direction direction, std::chrono::nanoseconds limit) noexcept {
  if (limit == std::chrono::nanoseconds::max()) return set_deadline(direction, sched::TimerNode::kNever);
  const sched::Worker& worker = *sched::current()->worker;
  std::int64_t now_ns = worker.tick_time_ns();
  if (limit > std::chrono::nanoseconds(0)) now_ns = std::max(now_ns, worker.clock().coarse_now_ns());
  set_deadline(direction, sched::moment_after(now_ns, limit));
}

std::int64_t Socket::deadline_ns(Direction direction) const noexcept {
  const Deadline& deadline = direction == Direction::read ? read_deadline_ : write_deadline_;
  return deadline.deadline_ns.load(base::relaxed);  // relaxed: only the owning task moves it
}

bool Socket::deadline_fired(Direction direction) const noexcept {
  const Deadline& deadline = direction == Direction::read ? read_deadline_ : write_deadline_;
  const std::int64_t at_ns = deadline_ns(direction);
  if (at_ns == sched::TimerNode::kNever) return false;
  // relaxed: if fire() has called stop_wait() before this wait started, start_wait() has acquired that change of the
  // source's word, and filed_ns was stored before it
  if (deadline.filed_ns.load(base::relaxed) != sched::TimerNode::kNever) return false;
  // kNever does not prove that the timer fired. If this task moves the deadline just as the old one becomes due, the
  // wheel first stores kNever and then files the timer under the new deadline. The timer fires only if the new deadline
  // has passed as well.
  return at_ns <= sched::clock_ns();
}

bool Socket::settle(sched::Worker& worker) noexcept {
  sched::Scheduler* const scheduler = &worker.scheduler();
  if (scheduler_.load(base::acquire) == scheduler) return false;                               // N1
  if (settling_.exchange(true, base::acquire)) return true;                                    // N2
  if (sched::Scheduler* const before = scheduler_.load(base::acquire); before != scheduler) {  // N1
    before == nullptr ? worker.watch(*this) : adopt(worker, *before);
    scheduler_.store(scheduler, base::release);  // N1
  }
  settling_.store(false, base::release);  // N2
  return true;
}

void Socket::consider_moving_to(sched::Worker& worker) noexcept {
  sched::Scheduler& scheduler = worker.scheduler();
  const bool foreign = home_worker != worker.index();
  foreign_waits_ = static_cast<std::uint8_t>(foreign_waits_ << 1 | (foreign ? 1 : 0));
  if (!foreign || leaving() || !should_move_to(worker)) return;
  add_reference();
  set_leaving(true);
  sched::Worker& old_home = scheduler.worker(home_worker);
  worker.watch(*this);  // first, so that no edge is lost between the two calls
  old_home.post(leave_request);
  worker.counters().migrated.add();
  worker.timeline().note(sched::TimelineEvent::Kind::moved_stream, old_home.index());
  moved_at_ns_ = worker.tick_time_ns();
  foreign_waits_ = 0;
}

// Makes `worker` the home of a socket whose scheduler has ended.
void Socket::adopt(sched::Worker& worker, sched::Scheduler& ended) noexcept {
  VOLT_CHECK(ended.ended());  // else two runtimes would use the socket at the same time
  const std::int64_t read_deadline_ns = deadline_ns(Direction::read);
  const std::int64_t write_deadline_ns = deadline_ns(Direction::write);
  read_deadline_.disarm();
  write_deadline_.disarm();
  leave_ended_home();
  worker.watch(*this);
  set_deadline(Direction::read, read_deadline_ns);
  set_deadline(Direction::write, write_deadline_ns);
  ended.drop();
}

bool Socket::should_move_to(sched::Worker& worker) noexcept {
  sched::Worker& home = worker.scheduler().worker(home_worker);
  if (home.stuck_for_long() || home.leaving()) return true;
  return std::popcount(foreign_waits_) >= kForeignWaitsToMove && home.queue_length() != 0 &&
         worker.tick_time_ns() - moved_at_ns_ >= kMovesApartNs;
}

void Socket::close() noexcept {
  read_deadline_.disarm();
  write_deadline_.disarm();
  const bool task_waits = stop_wait(Direction::read) != nullptr || stop_wait(Direction::write) != nullptr;
  VOLT_REQUIRE(!task_waits,
               "a stream, socket or listener was closed or destroyed while a task waits in it: keep it until its tasks "
               "have ended, for example in a std::shared_ptr that each of them holds");
  set_closing();
  if (reactor() == nullptr) return drop_reference();
  sched::Scheduler& scheduler = *scheduler_.load(base::acquire);  // N1
  if (scheduler.ended()) {
    leave_ended_home();
    drop_reference();
    return scheduler.drop();
  }
  sched::Context* context = sched::current();
  sched::Worker& home = scheduler.worker(home_worker);
  if (context != nullptr && context->worker == &home) {
    // The worker that it has left may be stuck for long, and keeps the descriptor until then.
    if (leaving() && may_shut_down_) ::shutdown(fd(), SHUT_RDWR);
    return home.unwatch(*this);
  }
  // Shuts the connection down at once, so that the peer sees its end before the home worker handles the request.
  if (may_shut_down_) ::shutdown(fd(), SHUT_RDWR);
  home.post(close_request);
}

SocketOwner own_socket(int fd, io::Ends ends) {
  try {
    return SocketOwner(new Socket(fd, ends));
  } catch (const std::bad_alloc&) {  // decided: closed, then rethrown
    ::close(fd);
    throw;
  }
}

}  // namespace volt::net
