// SPDX-License-Identifier: MIT

#include "database/pool_statistics.h"

#include "database/connection_pool.h"

namespace volt::database {

std::string PoolReport::name_of(std::string_view name) const {
  return std::string("volt_").append(kind_).append("_").append(name);
}

void PoolReport::gauge(std::string_view name, std::string_view help, std::size_t value) const {
  sink_.gauge(name_of(name), help, {{"pool", pool_}}, static_cast<double>(value));
}

void PoolReport::connections(std::string_view help, std::string_view state, std::size_t count) const {
  sink_.gauge(name_of("connections"), help, {{"pool", pool_}, {"state", state}}, static_cast<double>(count));
}

void PoolReport::failures(std::string_view help, std::string_view reason, std::uint64_t count) const {
  sink_.counter(name_of("errors_total"), help, {{"pool", pool_}, {"reason", reason}}, count);
}

void PoolReport::durations(std::string_view name, std::string_view help, const DurationHistogram& durations) const {
  durations.report(sink_, name_of(name), help, {{"pool", pool_}});
}

void PoolReport::waits(const DurationHistogram& waits) const {
  durations("wait_seconds", "Time from a task's request for a connection until it got one or gave up, in seconds.",
            waits);
}

void PoolStatistics::report(const PoolReport& report, const ConnectionPoolState& state, std::size_t connections_max,
                            std::string_view connections_help, std::string_view failures_help) const {
  report.connections(connections_help, "in_use", state.in_use);
  report.connections(connections_help, "idle", state.connections - state.in_use);
  report.connections(connections_help, "connecting", state.connecting);
  report.gauge("connections_max", "Maximum number of connections of the pool.", connections_max);
  report.gauge("waiting_tasks", "Tasks that wait for a connection.", state.waiting);
  report.waits(waits_);
  errors_.report(report, failures_help, kPoolErrors);
}

}  // namespace volt::database
