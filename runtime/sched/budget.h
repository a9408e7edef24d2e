// How much may run before something else has its turn: tasks in a tick, and operations in a task.
// Threads: one (the worker's, or the one that runs the task).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace volt::sched {

// Bounds of one tick of a worker.
struct TickBudget {
  static constexpr std::uint32_t kPolls = 128;  // tasks a tick; then the clock is read and counters are published
  static constexpr std::uint32_t kPollsBeforeIo =
      61;  // completions of a ring wait for its owner, so not the whole tick
  static constexpr std::chrono::nanoseconds kTimeBeforeIo = std::chrono::microseconds(100);

  // After how many tasks the reactor and the timers have their turn, in [1, kPollsBeforeIo]: about kTimeBeforeIo of
  // them.
  [[nodiscard]] static constexpr std::uint32_t polls_before_io(std::chrono::nanoseconds average_task) noexcept {
    const std::int64_t average_ns = std::max<std::int64_t>(average_task.count(), 1);
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(kTimeBeforeIo.count() / average_ns, 1, kPollsBeforeIo));
  }
};

// What one task may do before it yields: every await of the framework consumes one, ready or not, so that a task whose
// socket is always ready does not starve its neighbours.
class OperationBudget {
 public:
  static constexpr std::uint32_t kOperations = 128;

  // False when spent: the task goes to the back of the queue.
  [[nodiscard]] constexpr bool consume() noexcept {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

  constexpr void reset() noexcept { left_ = kOperations; }
  [[nodiscard]] constexpr std::uint32_t left() const noexcept { return left_; }

 private:
  std::uint32_t left_ = kOperations;
};

}  // namespace volt::sched
