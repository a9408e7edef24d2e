// SPDX-License-Identifier: MIT

// Pool: connections to one database, shared by all tasks.
//
// Tasks share connections: the queries of several tasks are sent on one connection without waiting for earlier results
// (libpq's pipeline mode), up to PoolOptions::pipeline_max. Each query ends with its own Sync, so it is a transaction
// of its own, and its failure does not affect other queries. A query is sent on an idle connection, preferably one that
// this worker used before. If there is none, it is sent on the least loaded connection, and another one is opened. If
// all pipelines are full, it waits in a first-in, first-out queue. A connection caches prepared statements by text and
// parameter types.
//
// Statements that change the state of a shared connection are rejected, or must be avoided: use transaction() instead
// of `begin`, SET LOCAL in a transaction instead of SET, a Listener (pg/listener.h) for LISTEN, and copy_in() or
// copy_out() of a transaction for COPY (pg/copy.h).
//
// When the server closes a connection, the queries in progress on it fail (ConnectionLost). Connections are reopened on
// demand. While connecting fails, queries fail immediately (Unavailable), and the pool waits from
// PoolOptions::backoff_min up to backoff_max between two attempts. If no connection is left by then, the log says once
// that the database is lost, and once that it is back (module `pg`).
//
// Traces: in a task whose current span is recorded (tracing/span.h), each query, batch, begin and commit is a span. It
// has the beginning of the statement's text, but no parameters.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Destroying the last handle closes the
// connections. Each connection has two tasks, which end with it. Memory: per connection two frames, two descriptors,
// the buffers of libpq (about 40 KiB) and the prepared statements.
#pragma once

#include <cstddef>
#include <memory>

#include "pg/options.h"
#include "pg/queries.h"
#include "pg/transaction.h"

namespace volt {
class MetricSink;
}

namespace volt::pg {

namespace internal {
class ConnectionPool;
}

// A snapshot of a pool.
struct PoolState {
  std::size_t connections = 0;  // open connections
  std::size_t in_use = 0;       // open connections with queries or a transaction
  std::size_t connecting = 0;   // connections that are being opened
  std::size_t held = 0;         // connections reserved for transactions
  std::size_t queries = 0;      // queries in progress (a batch counts as one)
  std::size_t waiting = 0;      // tasks that wait for a connection
};

class Pool : public Queries<Pool> {
 public:
  // Connects on the first query. Throws std::invalid_argument if connections_max or pipeline_max is 0.
  explicit Pool(PoolOptions options);

  // Begins a transaction. Errors: Unavailable; those of queries.
  [[nodiscard]] Task<Transaction> transaction(TransactionOptions options = {}) const;

  // Returns a snapshot. May be called from any thread.
  [[nodiscard]] PoolState state() const;

  // Reports the volt_pg_.. metrics (runtime/metric_sink.h). May be called from any thread. A pool that the app owns as
  // state reports by itself; for others: `app.metrics().add(pool)`.
  void report_metrics(MetricSink& sink) const;

 private:
  friend pg::Queries<Pool>;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;

  std::shared_ptr<internal::ConnectionPool> pool_;
};

}  // namespace volt::pg
