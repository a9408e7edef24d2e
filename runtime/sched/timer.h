// SPDX-License-Identifier: MIT

// Timer: a deadline of a task, as the task sees it. Workers keep the timers in wheels (runtime/sched/timers.h).
//
// Threads: arm() is called on a worker, disarm() on any thread; fire() is called by the thread that runs the wheel.
// Lifetime: a timer is in the frame or the stream that armed it, and must be disarmed before it is destroyed.
//
// A due timer fires under the lock of its wheel: fire() claims the wait to end and returns its completion, so a timer
// that was disarmed has either fired completely or never will. fire() must not call other code, because the lock is
// held.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/io/completion.h"

namespace volt::sched {

class Timers;

// An entry of a timer wheel (runtime/sched/timer_wheel.h).
struct TimerNode : base::ListNode {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // Deadline on the clock that advances the wheel.
  base::Atomic<std::int64_t> deadline_ns{kNever};

  // The deadline under which the wheel holds the node; kNever while the wheel does not hold it. A mover that finds
  // filed_ns at or before its new deadline knows that the wheel will read the deadline again in time.
  base::Atomic<std::int64_t> filed_ns{kNever};

  [[nodiscard]] bool filed() const noexcept { return level != kNotFiled; }

  // For the wheel only.
  static constexpr std::uint8_t kNotFiled = 0xff;
  std::uint8_t level = kNotFiled;  // 0..5, TimerWheel::kDueLevel or kNotFiled
  std::uint8_t slot = 0;           // 0..63
};

class Timer : public TimerNode {
 public:
  // Called when the deadline has passed. Returns the completion to wake, if this call claimed a wait; null if there was
  // no wait to claim.
  [[nodiscard]] virtual io::Completion* fire() noexcept = 0;

 protected:
  ~Timer() = default;

  // Files the timer, which is in no wheel, with the calling worker, to fire at `deadline_ns` or as soon afterwards as
  // the wheel's tick allows.
  void arm(std::int64_t deadline_ns) noexcept;
  // Removes the timer from the wheel that holds it. Returns true if the timer was filed: it has not fired and will not.
  // Returns false if no wheel held it.
  bool disarm() noexcept;

 private:
  friend class Timers;
  Timers* filed_in_ = nullptr;
};

// Returns the time of the calling worker's clock, in nanoseconds (runtime/sched/clock.h).
[[nodiscard]] std::int64_t clock_ns() noexcept;

// Returns the time `duration` after `now_ns`. A result beyond the representable range becomes the last time before
// TimerNode::kNever.
[[nodiscard]] constexpr std::int64_t moment_after(std::int64_t now_ns, std::chrono::nanoseconds duration) noexcept {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;
  return duration.count() > kLast - now_ns ? kLast : now_ns + duration.count();
}

}  // namespace volt::sched
