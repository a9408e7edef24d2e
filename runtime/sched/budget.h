// SPDX-License-Identifier: MIT

// Limits that keep one kind of work from starving another: on the tasks in one tick of a worker, and on the operations
// in one turn of a task.
//
// Threads: one (the worker's, or the thread that runs the task).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace volt::sched {

// Bounds of one tick of a worker.
struct TickBudget {
  // The maximum number of tasks in one tick. After each tick the worker reads the clock and publishes its counters.
  static constexpr std::uint32_t kPolls = 128;
  // The maximum number of tasks between two checks of the reactor. It is lower than kPolls, because the completions of
  // a ring wait until its owner checks the reactor.
  static constexpr std::uint32_t kPollsBeforeIo = 61;
  static constexpr std::chrono::nanoseconds kTimeBeforeIo = std::chrono::microseconds(100);

  // Returns the number of tasks between two checks of the reactor and the timers. These tasks take about kTimeBeforeIo
  // in total. A timer that is due may bring a check forward (worker.cpp). The result is in [1, kPollsBeforeIo].
  [[nodiscard]] static constexpr std::uint32_t polls_before_io(std::chrono::nanoseconds average_task) noexcept {
    const std::int64_t average_ns = std::max<std::int64_t>(average_task.count(), 1);
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(kTimeBeforeIo.count() / average_ns, 1, kPollsBeforeIo));
  }
};

// The number of operations that one task may do before it yields. Every await of the framework consumes one operation,
// whether it waits or not, so that a task whose socket is always ready does not starve other tasks.
class OperationBudget {
 public:
  static constexpr std::uint32_t kOperations = 128;

  // Consumes one operation. Returns false if none is left: the task must go to the back of the queue.
  [[nodiscard]] constexpr bool consume() noexcept {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  // Consumes `count` operations, or all that are left.
  constexpr void consume(std::uint32_t count) noexcept { left_ -= std::min(left_, count); }

  // Consumes one all() whose children run inline (child_group.h). Returns false if none is left: the task must go to
  // the back of the queue. Such calls are counted apart, because they cost less than other operations.
  static constexpr std::uint32_t kInlineCalls = 1024;
  [[nodiscard]] constexpr bool consume_inline_call() noexcept {
    if (inline_calls_left_ == 0) return false;
    --inline_calls_left_;
    return true;
  }

  constexpr void reset() noexcept {
    left_ = kOperations;
    inline_calls_left_ = kInlineCalls;
  }
  [[nodiscard]] constexpr std::uint32_t left() const noexcept { return left_; }

 private:
  std::uint32_t left_ = kOperations;
  std::uint32_t inline_calls_left_ = kInlineCalls;
};

}  // namespace volt::sched
