// SPDX-License-Identifier: MIT

// How a worker sleeps. WorkerLoop::park decides when.
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

bool Worker::before_park() noexcept {
  scheduler_.require_process();  // a child that was forked in a task must not return to the scheduler
  frames_.flush_returns();
  return !trim_frames();
}

void Worker::poll_without_sleep() noexcept { poll(came_while_parked_); }

void Worker::sleep() noexcept {
  if (clock_.manual()) scheduler_.clock().settled(index_, seen_round_);
  await_events(sleep_until_ns());
  scheduler_.places().note(index_);
}

void Worker::await_events(std::int64_t until_ns) noexcept {
  timeline_.note(TimelineEvent::Kind::park_begin);
  reactor_->wait(until_ns, came_while_parked_);
  timeline_.note(TimelineEvent::Kind::park_end);
  polls_since_io_ = 0;
}

// Returns the time at which the wheel has work, but not earlier than kTimedSleepsApartNs after the last sleep that a
// timer ended. A sleep after which the wheel only refiled a timer does not count: it would make that timer late.
std::int64_t Worker::sleep_until_ns() noexcept {
  if (clock_.manual()) return io::Reactor::kForever;  // the thread that advances the clock wakes it
  const std::uint64_t fired = counters_.timers_fired.value();
  if (planned_wake_ns_ <= context_.tick_time_ns && fired != fired_before_sleep_) last_timed_wake_ns_ = planned_wake_ns_;
  fired_before_sleep_ = fired;
  const std::int64_t next_ns = timers_.next_wake_ns();
  planned_wake_ns_ = std::max(next_ns, last_timed_wake_ns_ + kTimedSleepsApartNs);
  const bool trims_later = !scheduler_.watchdog().enabled() && has_frames_to_trim();  // else the watchdog wakes it
  return trims_later ? std::min(planned_wake_ns_, trimmed_at_ns_ + kTrimIntervalNs) : planned_wake_ns_;
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
