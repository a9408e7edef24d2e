// SPDX-License-Identifier: MIT

// ResponseTimes: the last response times of one server, for the delay of hedged requests (http/client/hedge.h).
//
// Threads: any. Memory: kKept times; none before the first is recorded.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace volt::http::client {

class ResponseTimes {
 public:
  static constexpr std::size_t kKept = 128;      // later times replace the oldest
  static constexpr std::size_t kNeededMin = 32;  // below it, a percentile says little

  void record(std::chrono::nanoseconds time);
  // Returns the time that `percentile` (0 to 1) of the kept times do not exceed; none if fewer than kNeededMin are
  // known.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> at(double percentile) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::chrono::nanoseconds> times_;  // a ring, once it has kKept times
  std::size_t oldest_ = 0;                       // then the index of the time that is replaced next
};

}  // namespace volt::http::client
