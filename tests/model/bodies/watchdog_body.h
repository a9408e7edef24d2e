// SPDX-License-Identifier: MIT

// The watchdog goes to sleep while a worker is woken: a worker that runs must not be left without a watchdog. With
// `kStops` the watchdog is stopped instead, while it goes to sleep.
//
// The idle state is the runtime's; the code around it repeats WorkerLoop, and Watchdog::sleep_until_activity,
// wake_up and stop (runtime/sched/watchdog.cpp).
#pragma once

#include <condition_variable>
#include <mutex>

#include "runtime/sched/idle_state.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class WatchdogFault : std::uint8_t {
  none,
  no_look_at_workers,    // the watchdog sleeps without a check that all workers are parked
  no_activity,           // the worker does not report that it runs
  no_lock_before_wake,   // the watchdog is notified between its check of `asleep_` and its sleep
  stopped_without_lock,  // the watchdog is told to stop between its check and its sleep
};

template <WatchdogFault kFault = WatchdogFault::none, bool kStops = false>
class WatchdogBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  WatchdogBody() { idle_.park(kWorker); }

  void thread(unsigned index) override {
    if (index == 0 && !kStops) work();
    if (index == 1) watch();
    if (index != 2) return;
    if (kStops) {
      stop();
    } else if (idle_.claim(kWorker)) {
      event_.signal();
    }
  }

 private:
  static constexpr std::uint32_t kWorker = 0;

  void work() {
    event_.wait();
    static_cast<void>(idle_.unpark(kWorker));
    if (kFault != WatchdogFault::no_activity) activity();
    while (!watched_.load(base::relaxed)) pause();  // in a long task
  }

  void activity() {
    if (asleep_.exchange(false, base::acq_rel)) wake_up();
  }

  void wake_up() {
    if (kFault != WatchdogFault::no_lock_before_wake) {
      const std::scoped_lock lock(mutex_);
    }
    changed_.notify_one();
  }

  void stop() {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (kFault != WatchdogFault::stopped_without_lock) lock.lock();
    stopping_ = true;
    if (lock) lock.unlock();
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    if (!stopping_) sleep_until_activity(lock);
    watched_.store(true, base::relaxed);
  }

  void sleep_until_activity(std::unique_lock<std::mutex>& lock) {
    fall_asleep();
    if (kFault != WatchdogFault::no_look_at_workers && idle_.parked_count() != idle_.worker_count()) {
      asleep_.exchange(false, base::acq_rel);
      return;
    }
    changed_.wait(lock, [this] { return stopping_ || !asleep_.load(base::acquire); });
  }

  void fall_asleep() { asleep_.exchange(true, base::acq_rel); }

  sched::IdleState idle_{1};
  Event event_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  base::Atomic<bool> asleep_{false};
  base::Atomic<bool> watched_{false};
};

}  // namespace volt::model
