// SPDX-License-Identifier: MIT

// Statistics: what a pool and its subscriptions report on /metrics, beside the figures of the connection pool.
//
// Threads: any. Lifetime: shared by the pool and its subscriptions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "database/pool_statistics.h"
#include "runtime/base/atomic.h"
#include "runtime/duration_histogram.h"

namespace volt::redis {
struct PoolState;
}

namespace volt::redis::internal {

enum class Failure : std::uint8_t {
  command_timeout,    // a reply did not arrive within command_timeout
  subscription_lost,  // the connection of a subscription ended
};
inline constexpr std::array<std::string_view, 2> kFailures = {"command_timeout", "subscription_lost"};

class Statistics {
 public:
  base::Atomic<std::uint64_t> subscriptions{0};  // current number

  void count(Failure failure) noexcept { failures_.count(failure); }
  void record_command(std::chrono::nanoseconds took) noexcept { commands_.record(took); }

  void report(const database::PoolReport& to, const PoolState& state, std::string_view failures_help) const;

 private:
  database::FailureCounts<Failure, kFailures.size()> failures_;
  DurationHistogram commands_;
};

}  // namespace volt::redis::internal
