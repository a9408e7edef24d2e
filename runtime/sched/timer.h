// SPDX-License-Identifier: MIT

// Timer: a deadline of a task, as the task sees it. Workers keep the timers in wheels (runtime/sched/timers.h).
//
// Threads: arm() is called on a worker, disarm() on any thread; fire() is called by the thread that runs the wheel.
// Lifetime: a timer is in the frame or the stream that armed it, and must be disarmed before it is destroyed.
//
// A due timer fires under the lock of its wheel: fire() ends the wait and returns its completion, which is woken later.
// So when disarm() returns, the timer has either fired completely or will never fire. fire() must not call other code,
// because the lock is held.
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

  // The deadline under which the wheel has filed the node; kNever while the node is in no wheel. The wheel reads
  // deadline_ns again when filed_ns has passed. So a thread that moves the deadline need not refile the node if
  // filed_ns is not after the new deadline.
  base::Atomic<std::int64_t> filed_ns{kNever};

  [[nodiscard]] bool filed() const noexcept { return level != kNotFiled; }

  // For the wheel only.
  static constexpr std::uint8_t kNotFiled = 0xff;
  std::uint8_t level = kNotFiled;  // 0..5, TimerWheel::kDueLevel or kNotFiled
  std::uint8_t slot = 0;           // 0..63
};

class Timer : public TimerNode {
 public:
  // Called when the deadline has passed. If a task waits with this deadline, ends that wait and returns its completion,
  // whose task the caller must wake. Otherwise returns null.
  [[nodiscard]] virtual io::Completion* fire() noexcept = 0;

 protected:
  ~Timer() = default;

  // Files the timer in the calling worker's wheel. The timer must not be in a wheel. It fires at the first tick of the
  // wheel that is not before `deadline_ns`.
  void arm(std::int64_t deadline_ns) noexcept;
  // Removes the timer from the wheel that holds it. Returns true if a wheel held the timer: the timer has not fired
  // since it was armed, and will not fire. Returns false if no wheel held it.
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
