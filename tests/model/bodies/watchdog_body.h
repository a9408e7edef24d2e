// SPDX-License-Identifier: MIT

// The watchdog goes to sleep while a worker is woken: a worker that runs must not be left without a watchdog. The idle
// state is the runtime's; the code around it repeats Worker and Watchdog::sleep_until_activity
// (runtime/sched/watchdog.cpp), whose mutex only makes the two checks of `asleep_` exact.
#pragma once

#include "runtime/sched/idle_state.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class WatchdogFault : std::uint8_t {
  none,
  no_look_at_workers,  // the watchdog sleeps without a check that all workers are parked
  no_activity,         // the worker does not report that it runs
};

template <WatchdogFault kFault = WatchdogFault::none>
class WatchdogBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  WatchdogBody() { idle_.park(kWorker); }

  void thread(unsigned index) override {
    if (index == 0) work();
    if (index == 1) watch();
    if (index == 2 && idle_.claim(kWorker)) event_.signal();
  }

 private:
  static constexpr std::uint32_t kWorker = 0;

  void work() {
    event_.wait();
    static_cast<void>(idle_.unpark(kWorker));
    if (kFault != WatchdogFault::no_activity) activity();
    while (!watched_.load(base::relaxed)) pause();  // in a long task
  }

  void activity() { asleep_.exchange(false, base::acq_rel); }

  void watch() {
    fall_asleep();
    const bool sleeps = kFault == WatchdogFault::no_look_at_workers || idle_.parked_count() == idle_.worker_count();
    while (sleeps && asleep_.load(base::acquire)) pause();
    watched_.store(true, base::relaxed);
  }

  void fall_asleep() { asleep_.exchange(true, base::acq_rel); }

  sched::IdleState idle_{1};
  Event event_;
  base::Atomic<bool> asleep_{false};
  base::Atomic<bool> watched_{false};
};

}  // namespace volt::model
