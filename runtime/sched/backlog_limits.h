// SPDX-License-Identifier: MIT

// BacklogLimits: two lengths of a worker's queue. From the first on it pays to wake another worker, from the second on
// it pays to steal half of the tasks. Both follow the average duration of the worker's tasks. As they are numbers of
// tasks, a push costs no more than two comparisons.
//
// Threads: worth_a_theft() may be called on any thread; all other members belong to the worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/base/atomic.h"

namespace volt::sched {

class BacklogLimits {
 public:
  // A backlog is worth a wake-up if its tasks take about as long as this many wake-ups. The value is greater than one,
  // because the backlog shrinks until the woken worker arrives: with a value of one, most workers that were woken under
  // load found no work left.
  static constexpr std::int64_t kWakesWorth = 4;

  // A backlog that takes less time than this is not worth stealing: its owner finishes it before the thief's caches are
  // warm.
  static constexpr std::int64_t kStealWorthNs = 30'000;

  // Until follow() is called, any task is worth a wake-up, and none a theft. exclude_thieves() is for a queue from
  // which no worker steals: nothing in it is ever worth either.
  void exclude_thieves() noexcept {
    has_thieves_ = false;
    worth_a_wake_ = kNever;
    worth_a_theft_.store(kNever, base::relaxed);  // relaxed: a hint to thieves
  }

  // `average_task_ns` must be positive.
  void follow(std::int64_t average_task_ns, std::int64_t wake_cost_ns) noexcept {
    if (!has_thieves_) return;
    worth_a_wake_ = tasks(kWakesWorth * wake_cost_ns / average_task_ns);
    const std::uint32_t worth_a_theft = tasks((kStealWorthNs + average_task_ns - 1) / average_task_ns);
    worth_a_theft_.store(worth_a_theft, base::relaxed);  // relaxed: as above
  }

  [[nodiscard]] bool worth_a_wake(std::uint32_t backlog) const noexcept { return backlog >= worth_a_wake_; }
  // A thief that finds nothing does not read the limit, whose cache line the worker writes.
  [[nodiscard]] bool worth_a_theft(std::uint32_t backlog) const noexcept {
    return backlog != 0 && backlog >= worth_a_theft_.load(base::relaxed);  // relaxed: as above
  }

 private:
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  static constexpr std::uint32_t tasks(std::int64_t count) noexcept {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 1, kNever));
  }

  bool has_thieves_ = true;
  std::uint32_t worth_a_wake_ = 1;
  base::Atomic<std::uint32_t> worth_a_theft_{kNever};
};

}  // namespace volt::sched
