// Timers: a worker's timer wheel behind a lock, so that a task that has moved, a canceller or a rescuer can reach it.
//
// Threads: any. The lock is the owner's alone nearly always, and held for a few dozen instructions.
// Lifetime: a timer is in the frame, or the stream, of whoever set it, which removes it before it goes.
//
// A due timer fires under the lock: fire() claims what it is to wake and returns it, so a timer that was removed has
// either fired completely or never will. It may not call out: the wheel's lock is held.
//
// Edges
//   T1  move() stores the deadline, then looks where the timer is filed; the wheel files it, then looks at the deadline
//       again; all seq_cst, so one of the two sees the other (other end: runtime/sched/timer_wheel.cpp)
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/completion.h"
#include "runtime/sched/timer_wheel.h"

namespace volt::sched {

class Timers;

class Timer : public TimerNode {
 public:
  // The deadline has passed. Returns whom to wake, if this claimed a wait; null if there was nothing to claim.
  [[nodiscard]] virtual io::Completion* fire() noexcept = 0;

 protected:
  ~Timer() = default;

 private:
  friend class Timers;
  Timers* filed_in_ = nullptr;
};

class Timers {
 public:
  explicit Timers(std::int64_t now) : wheel_(now) {}

  // Files `timer`, which is in no wheel, to fire at `deadline_ns` or as soon after as the wheel's tick allows.
  void add(Timer& timer, std::int64_t deadline_ns) noexcept;

  // True if the timer was filed: then it has not fired and will not. Wherever it is filed; false if nowhere.
  static bool remove(Timer& timer) noexcept;

  // Moves a deadline that the caller alone moves. Later: one store, and the wheel finds out when the old one passes.
  // Earlier, or not filed: files it here. kNever disarms it the lazy way.
  void move(Timer& timer, std::int64_t deadline_ns) noexcept;

  // Fires what is due; appends whom that wakes. Any thread. Returns how many fired.
  std::uint32_t fire_due(std::int64_t now, base::Chain<io::Completion>& woken) noexcept;

  // When fire_due has something to do next; TimerNode::kNever if nothing is filed.
  [[nodiscard]] std::int64_t next_wake_ns() const noexcept {
    return next_wake_ns_.load(base::relaxed);  // relaxed: read by the owner, who wrote it, or as a hint
  }

 private:
  void publish_next_wake_locked() noexcept;

  base::SpinLock lock_;
  TimerWheel wheel_;
  base::Atomic<std::int64_t> next_wake_ns_{TimerNode::kNever};
};

}  // namespace volt::sched
