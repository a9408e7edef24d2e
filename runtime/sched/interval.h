// SPDX-License-Identifier: MIT

// GlobalInterval: how often a worker with work of its own checks the global queue: about once a millisecond. The
// interval is counted in tasks, because reading the clock before each task would cost more than some tasks.
//
// Threads: one (the worker's).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace volt::sched {

class GlobalInterval {
 public:
  static constexpr std::chrono::nanoseconds kTarget = std::chrono::milliseconds(1);
  static constexpr std::uint32_t kTicksMin = 8;    // a check costs a cache miss, so it is not made after each long task
  static constexpr std::uint32_t kTicksMax = 255;  // a stale average must not starve the global queue

  // Records that `polls` tasks took `elapsed` in total.
  void record(std::uint32_t polls, std::chrono::nanoseconds elapsed) noexcept {
    if (polls == 0) return;
    const double sample_ns = static_cast<double>(std::max<std::int64_t>(elapsed.count(), 0)) / polls;
    const double kept = kKept[std::min<std::size_t>(polls, kKept.size() - 1)];
    average_ns_ = average_ns_ * kept + sample_ns * (1.0 - kept);
  }

  // Returns the number of tasks after which the global queue is checked, in [kTicksMin, kTicksMax].
  [[nodiscard]] std::uint32_t ticks() const noexcept {
    const double ticks = static_cast<double>(kTarget.count()) / std::max(average_ns_, 1.0);
    return static_cast<std::uint32_t>(std::clamp<double>(ticks, kTicksMin, kTicksMax));
  }

  [[nodiscard]] std::chrono::nanoseconds average_task() const noexcept {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(average_ns_));
  }

 private:
  static constexpr double kAlpha = 0.1;  // weight of one task

  // kKept[n] = (1 - kAlpha)^n: the weight that the old average keeps after n tasks. Each task has the same weight,
  // however many tasks a record contains. Otherwise a record of one slow task would weigh as much as a record of a
  // hundred quick tasks. A record with more tasks than kKept has entries uses the last entry (0.1 %).
  static constexpr std::array<double, 66> kKept = [] {
    std::array<double, 66> kept{1.0};
    for (std::size_t n = 1; n != kept.size(); ++n) kept[n] = kept[n - 1] * (1.0 - kAlpha);
    return kept;
  }();

  double average_ns_ = 10'000;  // value before the first record: a small request with its two system calls
};

}  // namespace volt::sched
