// SPDX-License-Identifier: MIT

#include "runtime/sched/clock.h"

#include <algorithm>

#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/timer.h"

namespace volt::sched {
namespace {

// Rounds up to a tick of a manual clock. A timer fires at the first tick that is not before its deadline. A manual
// clock therefore advances by whole ticks: each timer whose deadline an advance passes fires during that advance.
std::int64_t round_up_to_tick(std::int64_t time_ns) noexcept {
  constexpr std::int64_t kTick = TimerWheel::kManualTickNs;
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - kTick;
  return (std::min(time_ns, kLast) + kTick - 1) / kTick * kTick;
}

std::int64_t next_timer_ns(Scheduler& scheduler) noexcept {
  std::int64_t next_ns = TimerNode::kNever;
  for (std::uint32_t i = 0; i != scheduler.worker_count(); ++i) {
    next_ns = std::min(next_ns, scheduler.worker(i).timers().next_wake_ns());
  }
  return next_ns;
}

}  // namespace

std::int64_t clock_ns() noexcept {
  return worker_context("a function that reads the clock of a Runtime").clock->now_ns();
}

Clock::Clock(bool manual, std::uint32_t workers)
    : manual_(manual),
      manual_ns_(round_up_to_tick(sched::now_ns())),
      wall_offset_ns_(manual ? offset_of(std::chrono::system_clock::now()) : 0),
      settled_rounds_(workers) {}

std::int64_t Clock::offset_of(std::chrono::system_clock::time_point time) const noexcept {
  return std::chrono::nanoseconds(time.time_since_epoch()).count() - now_ns();
}

void Clock::set_wall(std::chrono::system_clock::time_point time) noexcept {
  VOLT_CHECK(manual_);
  wall_offset_ns_.store(offset_of(time), base::relaxed);  // relaxed: as manual_ns_
}

void Clock::advance(Scheduler& scheduler, std::chrono::nanoseconds duration) {
  VOLT_CHECK(manual_ && duration.count() >= 0);
  if (scheduler.calling_worker() != nullptr) {
    const std::int64_t ticks_ns = round_up_to_tick(duration.count());
    manual_ns_.fetch_add(ticks_ns, base::relaxed);  // relaxed: K1
    static_cast<void>(announce_round(scheduler));
    return;
  }
  const std::scoped_lock lock(advancing_);
  settle(scheduler);
  const std::int64_t target_ns = round_up_to_tick(moment_after(now_ns(), duration));
  for (std::int64_t next_ns = next_timer_ns(scheduler); next_ns < target_ns; next_ns = next_timer_ns(scheduler)) {
    manual_ns_.store(std::max(next_ns, now_ns()), base::relaxed);  // relaxed: K1
    settle(scheduler);
  }
  manual_ns_.store(std::max(target_ns, now_ns()), base::relaxed);  // relaxed: K1
  settle(scheduler);
}

void Clock::settle(Scheduler& scheduler) {
  std::uint64_t ran_before = 0;
  std::uint64_t ran = scheduler.tasks_run();
  do {
    ran_before = ran;
    const std::uint64_t round = announce_round(scheduler);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return std::ranges::all_of(settled_rounds_, [&](auto seen) { return seen >= round; }); });
    ran = scheduler.tasks_run();
  } while (ran != ran_before);
}

std::uint64_t Clock::announce_round(Scheduler& scheduler) noexcept {
  const std::uint64_t round = round_.fetch_add(1, base::acq_rel) + 1;  // K1
  for (std::uint32_t i = 0; i != scheduler.worker_count(); ++i) scheduler.worker(i).look_again();
  return round;
}

void Clock::settled(std::uint32_t worker, std::uint64_t round) noexcept {
  const std::scoped_lock lock(mutex_);
  settled_rounds_[worker] = round;
  changed_.notify_all();
}

}  // namespace volt::sched
