// SPDX-License-Identifier: MIT

#include "runtime/sched/timers.h"

#include <mutex>

#include "runtime/sched/current.h"

namespace volt::sched {

void Timer::arm(std::int64_t deadline_ns) noexcept { current()->timers->add(*this, deadline_ns); }

bool Timer::disarm() noexcept { return Timers::remove(*this); }

void Timers::add(Timer& timer, std::int64_t deadline_ns) noexcept {
  const std::scoped_lock lock(lock_);
  timer.deadline_ns.store(deadline_ns, base::relaxed);  // relaxed: under the lock
  timer.filed_in_ = this;
  wheel_.insert(timer);
  publish_next_wake_locked();
}

bool Timers::remove(Timer& timer) noexcept {
  Timers* wheel = timer.filed_in_;
  if (wheel == nullptr) return false;
  const std::scoped_lock lock(wheel->lock_);
  if (!timer.linked()) return false;
  wheel->wheel_.remove(timer);
  wheel->publish_next_wake_locked();
  return true;
}

void Timers::move(Timer& timer, std::int64_t deadline_ns) noexcept {
  timer.deadline_ns.store(deadline_ns, base::seq_cst);               // T1
  const std::int64_t filed_ns = timer.filed_ns.load(base::seq_cst);  // T1
  const bool wheel_checks_in_time = filed_ns <= deadline_ns && filed_ns != TimerNode::kNever;
  if (wheel_checks_in_time) return;
  remove(timer);
  if (deadline_ns != TimerNode::kNever) add(timer, deadline_ns);
}

std::uint32_t Timers::fire_due(std::int64_t now, base::Chain<io::Completion>& woken) noexcept {
  if (next_wake_ns() > now) return 0;
  const std::scoped_lock lock(lock_);
  base::List<TimerNode> expired;
  wheel_.advance(now, expired);
  std::uint32_t fired = 0;
  while (TimerNode* node = expired.pop_front()) {
    ++fired;
    if (io::Completion* completion = static_cast<Timer*>(node)->fire()) woken.push_back(completion);
  }
  publish_next_wake_locked();
  return fired;
}

void Timers::publish_next_wake_locked() noexcept {
  next_wake_ns_.store(wheel_.next_wake_ns().value_or(TimerNode::kNever), base::relaxed);  // relaxed: a hint to others
}

}  // namespace volt::sched
