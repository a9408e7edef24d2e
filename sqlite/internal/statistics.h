// SPDX-License-Identifier: MIT

// Statistics: what a pool reports on /metrics.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "database/pool_statistics.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"
#include "sqlite/options.h"
#include "sqlite/pool.h"

namespace volt::sqlite::internal {

enum class Failure : std::uint8_t {
  open,             // a connection could not be opened
  busy,             // another process kept the file locked for busy_timeout
  acquire_timeout,  // a task waited for a connection for acquire_timeout
  queue_full,       // a task found waiting_max others waiting
  query_timeout,    // a query was interrupted after its limit
  storage,          // the disk is full or fails, or the file may not be written
  corrupt,          // the file is damaged
};
inline constexpr std::array<std::string_view, 7> kFailures = {
    "open", "busy", "acquire_timeout", "queue_full", "query_timeout", "storage", "corrupt"};

class Statistics {
 public:
  void count(Failure failure) noexcept { failures_.count(failure); }
  // Counts the failure that the exception is, if it is one of them.
  void count(const std::exception_ptr& error) noexcept;
  void record_wait(std::chrono::nanoseconds waited) noexcept { waits_.record(waited); }

  void report(MetricSink& sink, const PoolOptions& options, const PoolState& state) const;

 private:
  database::FailureCounts<Failure, kFailures.size()> failures_;
  DurationHistogram waits_;
};

}  // namespace volt::sqlite::internal
