// SPDX-License-Identifier: MIT

// The deadline of a wait for readiness, whose timer is filed with another worker: the task moves the deadline and
// begins a wait while the timer fires. The wait must end at its deadline, neither before nor never.
//
// The wheels and the source are the runtime's; the wait and the timer repeat ReadyWait and Socket::Deadline
// (runtime/net/socket.cpp).
#pragma once

#include "runtime/io/source.h"
#include "runtime/sched/timers.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class DeadlineFault : std::uint8_t {
  none,
  no_look_at_timer,  // does not check, once the wait is registered, whether the timer has fired before
  no_look_at_clock,  // takes a timer that is being filed again for one that has fired
};

// If `kMoves` is false, the task begins to wait for the deadline that the timer has. Otherwise it moves the deadline to
// a later time first.
template <bool kMoves, DeadlineFault kFault = DeadlineFault::none>
class DeadlineBody final : public Body {
 public:
  static constexpr unsigned kThreads = 2;

  DeadlineBody() : source_(*new io::Source(-1)), deadline_(*this) { other_.add(deadline_, kFirst); }

  void thread(unsigned index) override { index == 0 ? wait() : fire_due(kFirst); }

  void finish() override {
    require(timed_out_ != kMoves, "the wait ends at the first deadline exactly if this is its deadline");
    if (kMoves) fire_due(kLast);
    require(timed_out_, "the wait ends at its deadline");
    source_.drop_reference();
  }

 private:
  static constexpr std::int64_t kFirst = sched::TimerWheel::kTickNs;
  static constexpr std::int64_t kLast = 2 * kFirst;

  class Deadline final : public sched::Timer {
   public:
    explicit Deadline(DeadlineBody& home) noexcept : body_(home) {}
    [[nodiscard]] io::Completion* fire() noexcept override {
      io::Completion* waiter = body_.source_.stop_wait(io::Direction::read);
      if (waiter != nullptr) body_.timed_out_ = true;
      return waiter;
    }

   private:
    DeadlineBody& body_;
  };

  // Thread 0, at the time kFirst.
  void wait() {
    if (kMoves) own_.move(deadline_, kLast);
    require(source_.start_wait(io::Direction::read, waiter_), "no edge is reported");
    if (kFault == DeadlineFault::no_look_at_timer || !deadline_fired()) return;
    if (source_.stop_wait(io::Direction::read) != nullptr) timed_out_ = true;
  }

  [[nodiscard]] bool deadline_fired() const {
    if (deadline_.filed_ns.load(base::relaxed) != sched::TimerNode::kNever) return false;
    return kFault == DeadlineFault::no_look_at_clock || deadline_.deadline_ns.load(base::relaxed) <= kFirst;
  }

  // Thread 1, and the end.
  void fire_due(std::int64_t now_ns) {
    base::Chain<io::Completion> woken;
    other_.fire_due(now_ns, woken);
    own_.fire_due(now_ns, woken);
    while (const io::Completion* completion = woken.pop_front()) {
      require(completion == &waiter_, "a timer wakes the task that waits");
    }
  }

  sched::Timers own_{0};    // of the task's worker
  sched::Timers other_{0};  // of the worker that thread 1 runs
  io::Source& source_;
  io::Completion waiter_;
  Deadline deadline_;
  bool timed_out_ = false;  // belongs to the thread that has ended the wait
};

}  // namespace volt::model
