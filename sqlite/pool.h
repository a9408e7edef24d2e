// SPDX-License-Identifier: MIT

// Pool: connections to one database file, shared by all tasks.
//
// Queries run on the blocking pool (runtime/blocking.h), so they block no worker: at most one that writes, and
// PoolOptions::readers_max that read, at a time. The database is in WAL mode, in which readers and the writer do not
// wait for each other. Tasks wait for a connection in a first-in, first-out queue. A connection keeps its prepared
// statements.
//
// A query is sent to a reader if it begins with `select`, `with`, `values` or `explain`; if it turns out to write, such
// as `with .. insert`, it is sent on to the writer. A query that comes after another one was awaited sees its changes.
// Use transaction() instead of `begin`, which is refused. Do not rely on the state of a connection (temporary tables,
// `attach`, pragmas such as foreign_keys): the next query may use another one.
//
// A query that its task no longer waits for, because the task was cancelled, is interrupted, and so is one that runs
// longer than PoolOptions::query_timeout.
//
// Other processes may use the file at the same time; a query waits for their locks for up to
// PoolOptions::busy_timeout. The file must be on a local file system.
//
// Traces: in a task whose current span is recorded (tracing/span.h), each query, batch, begin and commit is a span. It
// has the beginning of the statement's text, but no parameters.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state; destroying the last handle, when no query runs,
// closes the file. Memory: per connection SQLite's page cache (2 MiB) and the prepared statements.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "sqlite/options.h"
#include "sqlite/queries.h"
#include "sqlite/transaction.h"

namespace volt {
class MetricSink;
}

namespace volt::sqlite {

namespace internal {
class Database;
}

// A snapshot of a pool.
struct PoolState {
  std::size_t connections = 0;   // open connections
  std::size_t in_use = 0;        // connections with a query or a transaction
  std::size_t transactions = 0;  // connections reserved for transactions
  std::size_t waiting = 0;       // tasks that wait for a connection
};

class Pool : public Queries<Pool> {
 public:
  // Opens the file, on the calling thread, and creates it if it is missing. Throws Unavailable, Corrupt or another
  // Error, whose text names the file.
  explicit Pool(PoolOptions options);

  // Begins a transaction. Errors: Unavailable; those of queries.
  [[nodiscard]] Task<Transaction> transaction(TransactionOptions options = {}) const;

  // Executes several statements, separated by semicolons, without parameters, in one transaction. Their rows are
  // discarded.
  Task<> script(std::string_view statements) const;

  // Returns a snapshot. May be called from any thread.
  [[nodiscard]] PoolState state() const;

  // Reports the volt_sqlite_.. metrics (runtime/metric_sink.h). May be called from any thread. A pool that the app owns
  // as state reports by itself; for others: `app.metrics().add(pool)`.
  void report_metrics(MetricSink& sink) const;

 private:
  friend sqlite::Queries<Pool>;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;

  std::shared_ptr<internal::Database> database_;
};

}  // namespace volt::sqlite
