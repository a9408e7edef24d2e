// SPDX-License-Identifier: MIT

#include "http/client/internal/response_times.h"

#include <algorithm>

namespace volt::http::client {

void ResponseTimes::record(std::chrono::nanoseconds time) {
  const std::scoped_lock lock(mutex_);
  if (times_.size() < kKept) {
    times_.push_back(time);
  } else {
    times_[oldest_] = time;
    oldest_ = (oldest_ + 1) % kKept;
  }
}

std::optional<std::chrono::nanoseconds> ResponseTimes::at(double percentile) const {
  std::vector<std::chrono::nanoseconds> times;
  {
    const std::scoped_lock lock(mutex_);
    if (times_.size() < kNeededMin) return std::nullopt;
    times = times_;
  }
  const auto rank = static_cast<std::size_t>(percentile * static_cast<double>(times.size()));
  const auto wanted = times.begin() + static_cast<std::ptrdiff_t>(std::min(rank, times.size() - 1));
  std::ranges::nth_element(times, wanted);
  return *wanted;
}

}  // namespace volt::http::client
