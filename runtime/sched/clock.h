// SPDX-License-Identifier: MIT

// Clock: the scheduler's clock. In production it is CLOCK_MONOTONIC in nanoseconds, so a jump of the wall clock moves
// no deadline. In tests it can be a manual clock, which stands still until it is advanced.
//
// A manual clock advances from timer to timer. Before each step every worker must have *settled*: it has checked its
// reactor, its timers and its queues and found nothing left to run. So every running task reaches its next await before
// the time moves. A task that a timer woke runs, and sets its next timer, before the next timer fires.
//
// A round detects that the workers have settled. Clock announces the round and wakes every worker; each worker reads
// the round at the top of its loop and reports it when it is about to sleep. If no task ran on any worker during a
// round, all workers had settled.
//
// Threads: any.
//
// Edges
//   K1  a round's announcement releases  ->  a worker at the top of its loop acquires : the time that was set before
//       the round
#pragma once

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "runtime/base/atomic.h"

namespace volt::sched {

class Scheduler;

[[nodiscard]] inline std::int64_t read_clock_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

[[nodiscard]] inline std::int64_t now_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

class Clock {
 public:
  Clock(bool manual, std::uint32_t workers);
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  [[nodiscard]] bool manual() const noexcept { return manual_; }
  [[nodiscard]] std::int64_t now_ns() const noexcept {
    // relaxed: a worker that must see the new time has read the round before (K1)
    return manual_ ? manual_ns_.load(base::relaxed) : sched::now_ns();
  }
  // Returns the time at which the kernel's timer last ticked: usually at most 10 ms before now_ns(), and much cheaper
  // to read.
  [[nodiscard]] std::int64_t coarse_now_ns() const noexcept {
    return manual_ ? now_ns() : read_clock_ns(CLOCK_MONOTONIC_COARSE);
  }

  // The wall clock of a manual clock, which advances with it; it begins with the time of the system.
  [[nodiscard]] std::chrono::system_clock::time_point wall_now() const noexcept {
    return wall_at(now_ns() + wall_offset_ns_.load(base::relaxed));  // relaxed: as manual_ns_
  }
  void set_wall(std::chrono::system_clock::time_point time) noexcept;

  // Moves a manual clock forward by `duration`. When a thread outside the scheduler calls it, it returns after all
  // timers within `duration` have fired and the tasks that they woke have run. When a task of the scheduler calls it,
  // it must not wait for the workers: it only moves the time. Each worker then fires its timers when it next checks
  // them.
  void advance(Scheduler& scheduler, std::chrono::nanoseconds duration);

  // The workers call the two functions below.
  [[nodiscard]] std::uint64_t round() const noexcept { return round_.load(base::acquire); }  // K1
  // Reports that `worker` is about to sleep, and has checked all its sources of work since it saw `round`.
  void settled(std::uint32_t worker, std::uint64_t round) noexcept;

 private:
  void settle(Scheduler& scheduler);
  [[nodiscard]] std::uint64_t announce_round(Scheduler& scheduler) noexcept;

  [[nodiscard]] static std::chrono::system_clock::time_point wall_at(std::int64_t since_1970_ns) noexcept {
    return std::chrono::system_clock::time_point(std::chrono::nanoseconds(since_1970_ns));
  }
  [[nodiscard]] std::int64_t offset_of(std::chrono::system_clock::time_point time) const noexcept;

  const bool manual_;
  base::Atomic<std::int64_t> manual_ns_;       // a multiple of TimerWheel::kManualTickNs
  base::Atomic<std::int64_t> wall_offset_ns_;  // the wall clock is so far ahead of a manual clock
  base::Atomic<std::uint64_t> round_{0};
  std::mutex advancing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> settled_rounds_;  // indexed by worker; guarded by mutex_
};

}  // namespace volt::sched
