// SPDX-License-Identifier: MIT

// IntervalGate: lets one caller through per interval, for work that should not be done more often, such as a log line.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "runtime/base/atomic.h"

namespace volt::http::server {

class IntervalGate {
 public:
  // Returns true if it has not returned true within the last `apart`. Of several concurrent callers, at most one gets
  // true. All calls must pass times of the same monotonic clock.
  [[nodiscard]] bool due(std::chrono::nanoseconds now, std::chrono::nanoseconds apart) noexcept {
    std::int64_t last = last_ns_.load(base::relaxed);  // relaxed: the exchange decides
    if (last != kNever && now.count() - last < apart.count()) return false;
    return last_ns_.compare_exchange_strong(last, now.count(), base::relaxed);  // relaxed: it orders nothing else
  }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  base::Atomic<std::int64_t> last_ns_{kNever};
};

}  // namespace volt::http::server
