// SPDX-License-Identifier: MIT

// PoolStatistics: what a pool reports on /metrics.
//
// Threads: any. Lifetime: shared by the pool and its subscriptions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "redis/options.h"
#include "runtime/base/atomic.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"

namespace volt::redis {
struct PoolState;
}

namespace volt::redis::internal {

enum class PoolError : std::uint8_t {
  connect,            // an attempt to connect failed
  connection_lost,    // an open connection ended, which the pool had not closed
  acquire_timeout,    // a task waited for a connection for acquire_timeout
  queue_full,         // a task found waiting_max others waiting
  command_timeout,    // a reply did not arrive within command_timeout
  subscription_lost,  // the connection of a subscription ended
};
inline constexpr std::array<std::string_view, 6> kPoolErrors = {"connect",    "connection_lost", "acquire_timeout",
                                                                "queue_full", "command_timeout", "subscription_lost"};

class PoolStatistics {
 public:
  base::Atomic<std::uint64_t> subscriptions{0};  // current number

  void count(PoolError error) noexcept {
    errors_[static_cast<std::size_t>(error)].fetch_add(1, base::relaxed);  // relaxed: a report
  }
  void record_wait(std::chrono::nanoseconds waited) noexcept { waits_.record(waited); }
  void record_command(std::chrono::nanoseconds took) noexcept { commands_.record(took); }

  void report(MetricSink& sink, const PoolOptions& options, const PoolState& state) const;

 private:
  std::array<base::Atomic<std::uint64_t>, kPoolErrors.size()> errors_{};
  DurationHistogram waits_;
  DurationHistogram commands_;
};

}  // namespace volt::redis::internal
