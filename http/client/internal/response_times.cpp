// SPDX-License-Identifier: MIT

#include "http/client/internal/response_times.h"

#include <algorithm>

namespace volt::http::client {

void ResponseTimes::record(std::chrono::nanoseconds time) noexcept {
  const std::scoped_lock lock(mutex_);
  times_[recorded_++ % kKept] = time;
}

std::optional<std::chrono::nanoseconds> ResponseTimes::at(double percentile) const noexcept {
  std::array<std::chrono::nanoseconds, kKept> times;
  std::size_t count = 0;
  {
    const std::scoped_lock lock(mutex_);
    count = std::min(recorded_, kKept);
    times = times_;
  }
  if (count < kNeededMin) return std::nullopt;
  const auto rank = std::min(static_cast<std::size_t>(percentile * static_cast<double>(count)), count - 1);
  const auto wanted = times.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(times.begin(), wanted, times.begin() + static_cast<std::ptrdiff_t>(count));
  return *wanted;
}

}  // namespace volt::http::client
