// SPDX-License-Identifier: MIT

// ResponseTimes: the last response times of one server, for the delay of hedged requests (http/client/hedge.h).
//
// Threads: any. Memory: kKept times.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

namespace volt::http::client {

class ResponseTimes {
 public:
  static constexpr std::size_t kKept = 128;      // later times replace the oldest
  static constexpr std::size_t kNeededMin = 32;  // below it, a percentile says little

  void record(std::chrono::nanoseconds time) noexcept;
  // Returns the time that `percentile` (0 to 1) of the kept times do not exceed; none if fewer than kNeededMin are
  // known.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> at(double percentile) const noexcept;

 private:
  mutable std::mutex mutex_;
  std::array<std::chrono::nanoseconds, kKept> times_{};  // a ring
  std::size_t recorded_ = 0;                             // times ever recorded
};

}  // namespace volt::http::client
