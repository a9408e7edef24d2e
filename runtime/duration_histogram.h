// SPDX-License-Identifier: MIT

// DurationHistogram: the distribution of durations that are measured now and then, such as waits for a connection, for
// a MetricSink. Handlers record with http::Histogram (http/metrics/metrics.h) instead, which workers do not share.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/base/atomic.h"
#include "runtime/metric_sink.h"

namespace volt {

class DurationHistogram {
 public:
  void record(std::chrono::nanoseconds duration) noexcept {
    const double seconds = std::chrono::duration<double>(duration).count();
    const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin());
    counts_[bucket].fetch_add(1, base::relaxed);         // relaxed: a report
    sum_ns_.fetch_add(duration.count(), base::relaxed);  // relaxed: a report
  }

  void report(MetricSink& sink, std::string_view name, std::string_view help, MetricSink::Labels labels) const {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};
    for (std::size_t i = 0; i != counts.size(); ++i) counts[i] = counts_[i].load(base::relaxed);  // relaxed: a report
    const std::chrono::nanoseconds sum(sum_ns_.load(base::relaxed));                              // relaxed: a report
    sink.histogram(name, help, labels,
                   {.bounds = kBounds, .counts = counts, .sum = std::chrono::duration<double>(sum).count()});
  }

 private:
  static constexpr std::array kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};

  std::array<base::Atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  base::Atomic<std::int64_t> sum_ns_{0};
};

}  // namespace volt
