// SPDX-License-Identifier: MIT

// The timers of a worker that was stuck: a rescuer fires those that are due while the worker's task files another one,
// ends, and the worker fires them itself. A task that now runs elsewhere cancels its sleep, closes one socket and moves
// the deadline of another one into the wheel of its new worker. Each sleep must end exactly once, no thread may use a
// timer after its disarm, and a deadline that moves must not be lost.
//
// The wheels are the runtime's; the timers repeat Sleep (runtime/time.h) and Socket::Deadline (runtime/net/socket.cpp).
#pragma once

#include <array>

#include "runtime/sched/timers.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class TimersFault : std::uint8_t {
  none,
  cancels_after_fire,  // a cancelled sleep ends even if its timer was not in a wheel any more
  trusts_filed,        // does not disarm a timer that is in no wheel: it may be about to fire
};

template <TimersFault kFault = TimersFault::none>
class TimersBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  TimersBody() : closed_(new Deadline) {
    stuck_.add(*closed_, kDue);
    stuck_.add(moved_, kLater);
    stuck_.add(sleeps_[0], kDue);
  }

  void thread(unsigned index) override {
    if (index == 0) own();
    if (index == 1) rescue();
    if (index == 2) run_elsewhere();
  }

  void finish() override {
    for (const Sleep& sleep : sleeps_) {
      require(sleep.fired + sleep.cancelled == 1, "each sleep ends exactly once");
      require(sleep.woken == sleep.fired, "a sleep whose timer fires is woken");
    }
  }

 private:
  static constexpr std::int64_t kDue = sched::TimerWheel::kTickNs;
  static constexpr std::int64_t kLater = 2 * kDue;

  struct Sleep final : sched::Timer, io::Completion {
    [[nodiscard]] io::Completion* fire() noexcept override {
      ++fired;
      return this;
    }
    int fired = 0;  // each is written by the thread that has ended the sleep
    int woken = 0;
    int cancelled = 0;
  };

  struct Deadline final : sched::Timer {
    [[nodiscard]] io::Completion* fire() noexcept override {
      ++fired;
      return nullptr;  // no task waits
    }
    int fired = 0;
  };

  // The stuck worker, whose task ends.
  void own() {
    stuck_.add(sleeps_[1], kDue);
    fire_due(stuck_);
  }

  // Repeats Worker::rescue_events.
  void rescue() {
    if (stuck_.next_wake_ns() <= kLater) fire_due(stuck_);
  }

  void run_elsewhere() {
    const bool filed = closed_->filed_ns.load(base::acquire) != sched::TimerNode::kNever;
    if (kFault != TimersFault::trusts_filed || filed) sched::Timers::remove(*closed_);
    delete closed_;
    const bool disarmed = sched::Timers::remove(sleeps_[0]);
    if (disarmed || kFault == TimersFault::cancels_after_fire) ++sleeps_[0].cancelled;
    elsewhere_.move(moved_, kDue);
    fire_due(elsewhere_);
    require(moved_.fired != 0, "a deadline that moves is not lost");
  }

  static void fire_due(sched::Timers& timers) {
    base::Chain<io::Completion> woken;
    timers.fire_due(kLater, woken);
    while (io::Completion* completion = woken.pop_front()) ++static_cast<Sleep*>(completion)->woken;
  }

  sched::Timers stuck_{0};
  sched::Timers elsewhere_{0};
  std::array<Sleep, 2> sleeps_;
  Deadline* closed_;
  Deadline moved_;
};

}  // namespace volt::model
