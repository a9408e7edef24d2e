// SPDX-License-Identifier: MIT

// The metrics of pools, with names that all of them share: volt_KIND_connections{pool,state},
// volt_KIND_wait_seconds{pool} and so on. The operators' page lists the pools by these names.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/atomic.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"

namespace volt::database {

// Reports the metrics of one pool.
class PoolReport {
 public:
  // `kind`: of the database, such as `pg`. `pool`: the name of the pool. The views must outlive the report.
  PoolReport(MetricSink& sink, std::string_view kind, std::string_view pool) : sink_(sink), kind_(kind), pool_(pool) {}

  // `name` comes behind volt_KIND_ here and below.
  void gauge(std::string_view name, std::string_view help, std::size_t value) const;
  void connections(std::string_view help, std::string_view state, std::size_t count) const;
  void failures(std::string_view help, std::string_view reason, std::uint64_t count) const;
  void durations(std::string_view name, std::string_view help, const DurationHistogram& durations) const;
  void waits(const DurationHistogram& waits) const;

 private:
  [[nodiscard]] std::string name_of(std::string_view name) const;

  MetricSink& sink_;
  const std::string_view kind_;
  const std::string_view pool_;
};

// The number of failures of each kind. `Failure` is an enumeration from 0 to `kinds` - 1.
template <class Failure, std::size_t kinds>
class FailureCounts {
 public:
  void count(Failure failure) noexcept {
    counts_[static_cast<std::size_t>(failure)].fetch_add(1, base::relaxed);  // relaxed: a report
  }
  // `reasons` names the failures.
  void report(const PoolReport& report, std::string_view help,
              const std::array<std::string_view, kinds>& reasons) const {
    for (std::size_t i = 0; i != kinds; ++i) {
      report.failures(help, reasons[i], counts_[i].load(base::relaxed));  // relaxed: a report
    }
  }

 private:
  std::array<base::Atomic<std::uint64_t>, kinds> counts_{};
};

enum class PoolError : std::uint8_t {
  connect,          // an attempt to connect failed
  connection_lost,  // an open connection ended, which the pool had not closed
  acquire_timeout,  // a task waited for a connection for acquire_timeout
  queue_full,       // a task found waiting_max others waiting
};
inline constexpr std::array<std::string_view, 4> kPoolErrors = {"connect", "connection_lost", "acquire_timeout",
                                                                "queue_full"};

struct ConnectionPoolState;

// The figures of a ConnectionPool.
class PoolStatistics {
 public:
  void count(PoolError error) noexcept { errors_.count(error); }
  // Several workers share the counts, as they share the pool's lock.
  void record_wait(std::chrono::nanoseconds waited) noexcept { waits_.record(waited); }

  // `connections_help` and `failures_help` are the help texts of two metrics that databases explain differently.
  void report(const PoolReport& report, const ConnectionPoolState& state, std::size_t connections_max,
              std::string_view connections_help, std::string_view failures_help) const;

 private:
  FailureCounts<PoolError, kPoolErrors.size()> errors_;
  DurationHistogram waits_;
};

}  // namespace volt::database
