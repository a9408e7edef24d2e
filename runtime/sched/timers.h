// SPDX-License-Identifier: MIT

// Timers: a worker's timer wheel, guarded by a lock so that a task that has moved, a canceller or a rescuer can use it.
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
  explicit Timers(std::int64_t now) : wheel_(now) {}

  // Files `timer`, which is in no wheel, to fire at `deadline_ns` or as soon afterwards as the wheel's tick allows.
  void add(Timer& timer, std::int64_t deadline_ns) noexcept;

  // Removes `timer` from the wheel that holds it. Returns true if the timer was filed: it has not fired and will not.
  // Returns false if no wheel held it.
  static bool remove(Timer& timer) noexcept;

  // Moves a deadline that no other thread moves. To a later time: one store, and the wheel notices when the old
  // deadline passes. To an earlier time, or if the timer is not filed: files the timer here. kNever disarms it lazily.
  void move(Timer& timer, std::int64_t deadline_ns) noexcept;

  // Fires the due timers and appends the completions to wake to `woken`. Returns how many timers fired. Any thread may
  // call this.
  std::uint32_t fire_due(std::int64_t now, base::Chain<io::Completion>& woken) noexcept;

  // Returns the time at which fire_due next has work; TimerNode::kNever if no timer is filed.
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
