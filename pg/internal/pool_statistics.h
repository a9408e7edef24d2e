// SPDX-License-Identifier: MIT

// PoolStatistics: what a pool reports on /metrics.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pg/options.h"
#include "pg/pool.h"
#include "runtime/base/atomic.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"

namespace volt::pg::internal {

enum class PoolError : std::uint8_t {
  connect,          // an attempt to connect failed
  connection_lost,  // an open connection ended, which the pool had not closed
  acquire_timeout,  // a task waited for a connection for acquire_timeout
  queue_full,       // a task found waiting_max others waiting
};
inline constexpr std::array<std::string_view, 4> kPoolErrors = {"connect", "connection_lost", "acquire_timeout",
                                                                "queue_full"};

class PoolStatistics {
 public:
  void count(PoolError error) noexcept {
    errors_[static_cast<std::size_t>(error)].fetch_add(1, base::relaxed);  // relaxed: a report
  }
  // Counts a task that got a connection without a wait. Several workers share the count, as they share the pool's lock.
  void count_at_once() noexcept { waits_.record(std::chrono::nanoseconds(0)); }
  void record_wait(std::chrono::nanoseconds waited) noexcept { waits_.record(waited); }

  void report(MetricSink& sink, const PoolOptions& options, const PoolState& state) const;

 private:
  std::array<base::Atomic<std::uint64_t>, kPoolErrors.size()> errors_{};
  DurationHistogram waits_;
};

}  // namespace volt::pg::internal
