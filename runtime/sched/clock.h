// The scheduler's clock: CLOCK_MONOTONIC in nanoseconds, so that a jump of the wall clock moves no deadline; or, for
// tests, a manual one that stands still until it is advanced.
//
// Advancing goes from timer to timer. Before each step every worker must have *settled*: looked at its reactor, its
// timers and its queues and found nothing left to run. So whatever was under way has reached its await before the time
// moves, and what a timer woke has run, and set its next timer, before the following one fires.
//
// A round is how that is found out. It is announced and every worker woken; each notes the round at the top of its loop
// and reports it when it is about to sleep. A round in which no task ran anywhere found everything settled.
//
// Threads: any.
//
// Edges
//   K1  a round's announcement releases  ->  a worker at the top of its loop acquires : the time that was set before
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

[[nodiscard]] inline std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// The moment `duration` after `now_ns`. What would lie past the end of time is the last moment before TimerNode::kNever.
[[nodiscard]] constexpr std::int64_t moment_after(std::int64_t now_ns, std::chrono::nanoseconds duration) noexcept {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;
  return duration.count() > kLast - now_ns ? kLast : now_ns + duration.count();
}

class Clock {
 public:
  Clock(bool manual, std::uint32_t workers);
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  [[nodiscard]] bool manual() const noexcept { return manual_; }
  [[nodiscard]] std::int64_t now_ns() const noexcept {
    return manual_ ? manual_ns_.load(base::relaxed) : sched::now_ns();  // relaxed: K1 orders it where that matters
  }

  // Moves a manual clock. From outside the scheduler: returns when all that lay within `duration` has fired and run.
  // From one of its tasks, which cannot wait for itself: the time jumps, and timers fire as workers come to look.
  void advance(Scheduler& scheduler, std::chrono::nanoseconds duration);

  // The workers' part.
  [[nodiscard]] std::uint64_t round() const noexcept { return round_.load(base::acquire); }  // K1
  // `worker` is about to sleep, and has looked at everything since it saw that round.
  void settled(std::uint32_t worker, std::uint64_t round) noexcept;

 private:
  void settle(Scheduler& scheduler);
  [[nodiscard]] std::uint64_t announce_round(Scheduler& scheduler) noexcept;

  const bool manual_;
  base::Atomic<std::int64_t> manual_ns_;  // a multiple of the timer wheel's tick
  base::Atomic<std::uint64_t> round_{0};
  std::mutex advancing_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint64_t> settled_rounds_;  // by worker; under mutex_
};

}  // namespace volt::sched
