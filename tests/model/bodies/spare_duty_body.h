// SPDX-License-Identifier: MIT

// The duty of a spare: the watchdog activates it twice, with work that only the spare does, and retires it in between;
// then the scheduler stops. The thread of the spare ends as soon as it has left, or is kept until the second activation
// wakes it. The spare must never have two threads, and must not sleep or have ended while it has the duty to serve.
//
// The duty is the runtime's; the code around it repeats SpareWorkers::activate, retire_all and stop
// (runtime/sched/spare_workers.cpp), and SpareLoop::run_until_service_ends. Two threads of the body are the threads
// that the watchdog may start for the spare.
#pragma once

#include <array>

#include "runtime/sched/spare_duty.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class DutyFault : std::uint8_t {
  none,
  no_wake,          // the watchdog wakes no thread to which it gives a duty
  wake_first,       // wakes the thread before it gives the duty
  no_join,          // starts another thread while the one that is about to end still runs
  ends_when_left,   // the thread ends once it has left, without a check that it was given no duty since
  no_wake_at_stop,  // the scheduler does not wake the spare when it stops
};

template <bool kKept, DutyFault kFault = DutyFault::none>
class SpareDutyBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) {
      watch();
    } else {
      run_as_spare(index);
    }
  }

  void finish() override {
    require(done_.load(base::relaxed) == kRounds, "the spare does all work");
    require(!running_, "its thread ends");
  }

 private:
  static constexpr unsigned kRounds = 2;

  void watch() {
    for (unsigned round = 1; round <= kRounds; ++round) {
      wanted_.store(round, base::relaxed);
      activate();
      while (done_.load(base::relaxed) != round) pause();
      if (round == kRounds) break;
      if (kFault == DutyFault::wake_first) wakes_.signal_in_order();
      duty_.start_to_leave();
      if (kFault != DutyFault::wake_first) wakes_.signal_in_order();
    }
    stopping_.store(true, base::relaxed);
    if (kFault != DutyFault::no_wake_at_stop) wakes_.signal_in_order();
    for (unsigned thread = started_ + 1; thread != kThreads; ++thread) starts_[thread - 1].signal_in_order();
  }

  void activate() {
    if (kFault == DutyFault::wake_first) wakes_.signal_in_order();
    if (duty_.start_to_serve()) {
      while (kFault != DutyFault::no_join && ended_.load(base::acquire) != started_) pause();
      starts_[started_++].signal_in_order();
    } else if (kFault != DutyFault::no_wake && kFault != DutyFault::wake_first) {
      wakes_.signal_in_order();
    }
  }

  void run_as_spare(unsigned index) {
    starts_[index - 1].wait();
    if (stopping_.load(base::relaxed)) return;  // was not needed
    require(!running_, "a spare has one thread at a time");
    running_ = true;
    for (;;) {
      const bool serves = duty_.serving();
      if (serves && work()) continue;
      if (!serves) duty_.note_left();
      if (stopping_.load(base::relaxed) || (!serves && end_spare())) break;
      wakes_.wait();
    }
    running_ = false;
    ended_.store(index, base::release);
  }

  [[nodiscard]] bool end_spare() {
    if (kKept) return false;
    return kFault == DutyFault::ends_when_left || duty_.try_end();
  }

  [[nodiscard]] bool work() {
    const unsigned done = done_.load(base::relaxed);
    if (done == wanted_.load(base::relaxed)) return false;
    done_.store(done + 1, base::relaxed);
    return true;
  }

  sched::SpareDuty duty_;
  Event wakes_;
  std::array<Event, kThreads - 1> starts_;
  unsigned started_ = 0;  // number of threads that the watchdog has started
  bool running_ = false;  // belongs to the thread of the spare
  base::Atomic<unsigned> wanted_{0};
  base::Atomic<unsigned> done_{0};
  base::Atomic<unsigned> ended_{0};  // the last thread that has ended
  base::Atomic<bool> stopping_{false};
};

}  // namespace volt::model
