// SPDX-License-Identifier: MIT

// The watchdog is about to fall asleep after it has told a spare to leave, which is between two tasks of its tick: the
// spare must run no task while the watchdog sleeps, because no other thread would find out that it is stuck.
//
// The duty is the runtime's; the code around it repeats Watchdog::watch (runtime/sched/watchdog.cpp) and
// SpareLoop::run_until_service_ends.
#pragma once

#include "runtime/sched/spare_duty.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class RestFault : std::uint8_t {
  none,
  sleeps_when_none_serves,  // the watchdog sleeps as soon as it has told the spare to leave
  left_before_tick_ends,    // the spare notes that it has left before it has run the tasks that it has
};

template <RestFault kFault = RestFault::none>
class SpareRestBody final : public Body {
 public:
  static constexpr unsigned kThreads = 2;

  SpareRestBody() { require(duty_.start_to_serve(), "a new spare has no thread"); }

  void thread(unsigned index) override {
    if (index == 0) {
      watch();
    } else {
      run_as_spare();
    }
  }

  void finish() override { require(tasks_run_ == kTasks, "the spare runs its tasks"); }

 private:
  static constexpr int kTasks = 2;

  void watch() {
    duty_.start_to_leave();
    for (int sample = 0; sample != 2; ++sample) {
      if (kFault != RestFault::sleeps_when_none_serves && !duty_.at_rest()) continue;
      asleep_.store(true, base::relaxed);
      require(kFault != RestFault::none || tasks_run_ == kTasks, "the tasks of the tick have ended");
      return;
    }
  }

  void run_as_spare() {
    if (duty_.serving()) {
      for (int i = 0; i != kTasks; ++i) {
        if (kFault == RestFault::left_before_tick_ends) duty_.note_left();
        run_task();
      }
      while (duty_.serving()) pause();
      duty_.note_left();
    } else {
      tasks_run_ = kTasks;  // hands them over
      duty_.note_left();
    }
  }

  void run_task() {
    require(!asleep_.load(base::relaxed), "no task runs while the watchdog sleeps");
    ++tasks_run_;
  }

  sched::SpareDuty duty_;
  int tasks_run_ = 0;  // belongs to the spare's thread until it has left
  base::Atomic<bool> asleep_{false};
};

}  // namespace volt::model
