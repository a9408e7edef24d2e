// SPDX-License-Identifier: MIT

// The limits of this build: sanitizers make it slower, so that rounds are scaled down and times up.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "runtime/base/atomic.h"
#include "runtime/coro/frame_pool.h"

namespace volt::test {

#if defined(VOLT_THREAD_SANITIZER) || defined(VOLT_ADDRESS_SANITIZER)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

#if defined(VOLT_THREAD_SANITIZER)
inline constexpr std::uint64_t kSlowdown = 5;
#elif defined(VOLT_ADDRESS_SANITIZER)
inline constexpr std::uint64_t kSlowdown = 4;
#else
inline constexpr std::uint64_t kSlowdown = 1;
#endif

// VOLT_STRESS_FACTOR, which scales stress tests; 1 if it is not in the environment.
[[nodiscard]] inline double stress_factor() {
  const char* text = std::getenv("VOLT_STRESS_FACTOR");
  return text == nullptr ? 1.0 : std::atof(text);
}

// Rounds of a stress test: `rounds` of a plain build, fewer under sanitizers, times VOLT_STRESS_FACTOR.
[[nodiscard]] inline std::uint64_t stress_rounds(std::uint64_t rounds) {
  const auto scaled = static_cast<std::uint64_t>(static_cast<double>(rounds) / kSlowdown * stress_factor());
  return scaled == 0 ? 1 : scaled;
}

// Counts the rounds of a test in which threads give up the processor to each other. Such a round takes microseconds on
// a quiet machine and milliseconds beside busy processes, so rounds end early when they have taken `limit`, by default
// five seconds times VOLT_STRESS_FACTOR, but at least one second. There is at least one round. For use by one thread.
class TimedRounds {
 public:
  explicit TimedRounds(std::uint64_t rounds, std::chrono::milliseconds limit = default_limit())
      : rounds_(rounds), end_(std::chrono::steady_clock::now() + limit) {}

  // Whether there is another round.
  [[nodiscard]] bool next() {
    if (begun_ == rounds_) return false;
    if (begun_ % 16 == 15 && std::chrono::steady_clock::now() > end_) return false;
    ++begun_;
    return true;
  }
  // Rounds begun.
  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }

 private:
  static std::chrono::milliseconds default_limit() {
    return std::chrono::milliseconds(static_cast<int>(5000 * std::max(stress_factor(), 0.2)));
  }

  std::uint64_t rounds_;
  std::uint64_t begun_ = 0;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace volt::test
