// SPDX-License-Identifier: MIT

#include "sqlite/internal/statistics.h"

#include <exception>

#include "sqlite/error.h"

namespace volt::sqlite::internal {

void Statistics::count(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Busy&) {
    count(Failure::busy);
  } catch (const Unavailable&) {
    count(Failure::open);
  } catch (const QueryTimeout&) {
    count(Failure::query_timeout);
  } catch (const StorageError&) {
    count(Failure::storage);
  } catch (const Corrupt&) {
    count(Failure::corrupt);
  } catch (...) {  // decided: an error of the query, which its caller handles
  }
}

void Statistics::report(MetricSink& sink, const PoolOptions& options, const PoolState& state) const {
  const std::string_view pool = options.name;
  const auto gauge = [&](std::string_view name, std::string_view help, std::size_t value) {
    sink.gauge(name, help, {{"pool", pool}}, static_cast<double>(value));
  };
  const auto connections = [&](std::string_view of, std::size_t count) {
    sink.gauge("volt_sqlite_connections",
               "Connections of the pool: with a query or a transaction (in_use), without (idle).",
               {{"pool", pool}, {"state", of}}, static_cast<double>(count));
  };
  connections("in_use", state.in_use);
  connections("idle", state.connections < state.in_use ? 0 : state.connections - state.in_use);
  gauge("volt_sqlite_connections_max", "Maximum number of connections of the pool.", 1 + options.readers_max);
  gauge("volt_sqlite_transactions", "Connections that are reserved for transactions.", state.transactions);
  gauge("volt_sqlite_waiting_tasks", "Tasks that wait for a connection.", state.waiting);
  waits_.report(sink, "volt_sqlite_wait_seconds",
                "Time from a task's request for a connection until it got one or gave up, in seconds.",
                {{"pool", pool}});
  for (std::size_t i = 0; i != failures_.size(); ++i) {
    sink.counter("volt_sqlite_errors_total",
                 "Failures of the pool: a connection could not be opened (open), another process kept the file locked "
                 "(busy), a task waited too long (acquire_timeout), too many tasks waited (queue_full), a query took "
                 "too long (query_timeout), the disk failed or is full (storage), the file is damaged (corrupt).",
                 {{"pool", pool}, {"reason", kFailures[i]}}, failures_[i].load(base::relaxed));  // relaxed: a report
  }
}

}  // namespace volt::sqlite::internal
