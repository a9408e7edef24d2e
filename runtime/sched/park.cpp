// SPDX-License-Identifier: MIT

// How a worker parks, and when it may.
#include <algorithm>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// The minimum time between two sleeps that are each ended by a timer. Timers that are due within this time are fired
// together, because a timed sleep was measured to cost many times as much as firing a timer. A lone timer fires with
// the precision of the wheel's tick.
constexpr std::int64_t kTimedSleepsApartNs = 800'000;

}  // namespace

void Worker::park() noexcept {
  scheduler_.require_process();  // a child that was forked in a task must not return to the scheduler
  frames_.flush_returns();
  if (trim_frames()) {
    reactor_->poll(came_while_parked_);
    return;
  }
  IdleState& idle = scheduler_.idle();
  const bool was_searching = searching_;
  searching_ = false;
  idle.park(index_);
  if (may_not_sleep(was_searching)) {
    searching_ = idle.unpark(index_);
    if (was_searching && !searching_) searching_ = idle.try_start_search(index_);  // S: pushers saw it search
    slept_ = true;  // for the watchdog, which may have seen it parked
    reactor_->poll(came_while_parked_);
    return;
  }
  if (was_searching && woken_to_search_) counters_.wakes_wasted.add();
  counters_.parks.add();
  if (clock_.manual()) scheduler_.clock().settled(index_, seen_round_);
  reactor_->wait(sleep_until_ns(), came_while_parked_);
  searching_ = woken_to_search_ = idle.unpark(index_);
  slept_ = true;
}

// Returns the time at which the next timer is due, but not earlier than kTimedSleepsApartNs after the last sleep that a
// timer ended.
std::int64_t Worker::sleep_until_ns() noexcept {
  if (clock_.manual()) return io::Reactor::kForever;  // the thread that advances the clock wakes it
  if (planned_wake_ns_ <= context_.tick_time_ns) last_timed_wake_ns_ = planned_wake_ns_;
  const std::int64_t next_ns = timers_.next_wake_ns();
  planned_wake_ns_ = std::max(next_ns, last_timed_wake_ns_ + kTimedSleepsApartNs);
  const bool trims_later = !scheduler_.watchdog().enabled() && frames_.has_surplus();  // else the watchdog wakes it
  return trims_later ? std::min(planned_wake_ns_, trimmed_at_ns_ + kTrimIntervalNs) : planned_wake_ns_;
}

// Returns whether there is work, so that the worker must not sleep. Called after the worker has announced that it is
// parked (idle_state.h, invariant P). Only a worker that has searched checks the queues of other workers. Otherwise
// enough other workers search, and they check these queues.
bool Worker::may_not_sleep(bool searched) const noexcept {
  if (!inbox_.empty() || !scheduler_.global().empty() || !scheduler_.heavy().empty()) return true;
  if (scheduler_.stopping()) return true;
  if (clock_.round() != seen_round_) return true;
  if (!searched) return false;
  for (std::uint32_t i = 0; i != scheduler_.worker_count(); ++i) {
    if (i == index_) continue;
    const Worker& other = scheduler_.worker(i);
    if (other.worth_stealing_from() || other.worth_forking_for()) return true;
  }
  return false;
}

// Returns whether this worker has nothing left to do before it ends. Called when the scheduler has no live task any
// more. Sources that still have an owner stay (Scheduler, step 6 of stopping); the polls of the others must have ended,
// so that no reference to them is left.
bool Worker::drained() const noexcept { return inbox_.empty() && reactor_->armed() <= homed_.size(); }

std::size_t Worker::close_reactor() noexcept {
  reactor_.reset();
  return homed_.size();
}

}  // namespace volt::sched
