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
  constexpr std::string_view kConnectionsHelp =
      "Connections of the pool: with a query or a transaction (in_use), without (idle).";
  const database::PoolReport to(sink, "sqlite", options.name);
  to.connections(kConnectionsHelp, "in_use", state.in_use);
  to.connections(kConnectionsHelp, "idle", state.connections < state.in_use ? 0 : state.connections - state.in_use);
  to.gauge("connections_max", "Maximum number of connections of the pool.", 1 + options.readers_max);
  to.gauge("transactions", "Connections that are reserved for transactions.", state.transactions);
  to.gauge("waiting_tasks", "Tasks that wait for a connection.", state.waiting);
  to.waits(waits_);
  failures_.report(
      to,
      "Failures of the pool: a connection could not be opened (open), another process kept the file locked (busy), a "
      "task waited too long (acquire_timeout), too many tasks waited (queue_full), a query took too long "
      "(query_timeout), the disk failed or is full (storage), the file is damaged (corrupt).",
      kFailures);
}

}  // namespace volt::sqlite::internal
