// SPDX-License-Identifier: MIT

// DelayHistogram: counts durations in buckets, three for each power of ten, from 10 microseconds to 50 seconds.
//
// Threads: as of a Counter: one thread at a time calls add(), any thread calls counts().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/counter.h"
#include "runtime/sched/metrics.h"

namespace volt::sched {

class DelayHistogram {
 public:
  void add(std::int64_t delay_ns) noexcept {
    const auto bound = std::ranges::lower_bound(DelayCounts::kBoundsNs, delay_ns);
    buckets_[static_cast<std::size_t>(bound - DelayCounts::kBoundsNs.begin())].add();
    sum_ns_.add(static_cast<std::uint64_t>(delay_ns));
  }

  [[nodiscard]] DelayCounts counts() const noexcept {
    DelayCounts counts{.sum_ns = sum_ns_.value()};
    for (std::size_t i = 0; i != buckets_.size(); ++i) counts.buckets[i] = buckets_[i].value();
    return counts;
  }

 private:
  std::array<base::Counter, DelayCounts::kBuckets> buckets_{};
  base::Counter sum_ns_;
};

}  // namespace volt::sched
