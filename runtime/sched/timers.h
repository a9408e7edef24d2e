// SPDX-License-Identifier: MIT

// Timers: a worker's timer wheel with a lock. The lock lets other threads use the wheel: a worker that now runs the
// timer's task, a thread that cancels the task, and a rescuer.
//
// Threads: any. The lock is uncontended nearly always, and held for a few dozen instructions.
//
// Edges
//   T1  move() stores the deadline, then loads filed_ns; the wheel stores filed_ns, then loads the deadline again; all
//       seq_cst, so one of the two sees the other (other end: runtime/sched/timer_wheel.cpp)
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/completion.h"
#include "runtime/sched/timer.h"
#include "runtime/sched/timer_wheel.h"

namespace volt::sched {

class Timers {
 public:
  // `manual`: the times are those of a manual clock.
  explicit Timers(std::int64_t now, bool manual = false) noexcept : wheel_(now, manual) {}

  // Files `timer`, which must not be in a wheel. The timer fires at the first tick of the wheel that is not before
  // `deadline_ns`.
  void add(Timer& timer, std::int64_t deadline_ns) noexcept;

  // Removes `timer` from the wheel that holds it. Returns true if a wheel held the timer: the timer has not fired since
  // it was added, and will not fire. Returns false if no wheel held it.
  static bool remove(Timer& timer) noexcept;

  // Changes the timer's deadline. No other thread may move the same deadline at the same time. A move to a later time
  // costs one store: the wheel reads the new deadline when the old one passes. A move to an earlier time files the
  // timer in this wheel, and so does any move of a timer that is in no wheel. kNever disarms the timer; its wheel drops
  // it when the old deadline passes.
  void move(Timer& timer, std::int64_t deadline_ns) noexcept;

  // Fires the due timers, and appends the completions of the waits that they ended to `woken`. Returns how many timers
  // fired. Any thread may call this.
  std::uint32_t fire_due(std::int64_t now, base::Chain<io::Completion>& woken) noexcept;

  // Returns the next time at which fire_due() has work to do; TimerNode::kNever if no timer is filed.
  [[nodiscard]] std::int64_t next_wake_ns() const noexcept {
    return next_wake_ns_.load(base::relaxed);  // relaxed: read by the owner, which wrote it, or as a hint
  }

 private:
  void publish_next_wake_locked() noexcept;

  base::SpinLock lock_;
  TimerWheel wheel_;
  base::Atomic<std::int64_t> next_wake_ns_{TimerNode::kNever};
};

}  // namespace volt::sched
