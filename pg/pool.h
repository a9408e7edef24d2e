// Pool: connections to one database, shared by all tasks.
//
// A query needs no connection of its own: those of several tasks are sent on one, one after the other without waiting
// for answers (libpq's pipeline mode), up to PoolOptions::pipeline_max. Each ends with a Sync of its own, so it is a
// transaction of its own and fails alone, as if it had been sent alone. A query goes to a connection that is idle, by
// preference one that this worker used before; else to the least loaded one, while another is opened; if all have their
// fill it waits, first come, first served. A connection keeps what it has prepared, by text and parameter types.
//
// What must not be shared is refused or to be avoided: `begin` belongs to transaction(), SET is to be SET LOCAL in
// one, LISTEN and COPY need a client of their own.
//
// A server that goes away costs the queries that are under way (ConnectionLost). Connections are opened anew on demand; as
// long as that fails, queries fail at once (Unavailable), and attempts are PoolOptions::backoff_min .. backoff_max apart.
//
// Threads: any task of one runtime. Lifetime: a handle to what is shared; with the last one connections are closed. Each
// connection has two tasks of its own, which end with it. Memory: two frames, two descriptors and libpq's buffers (some
// 40 KiB) a connection, and in it what is prepared.
#pragma once

#include <cstddef>
#include <memory>

#include "pg/options.h"
#include "pg/queries.h"
#include "pg/transaction.h"

namespace volt::pg {

namespace internal {
class ConnectionPool;
}

// How a pool is doing, at one moment.
struct PoolState {
  std::size_t connections = 0;
  std::size_t connecting = 0;
  std::size_t held = 0;     // by transactions
  std::size_t queries = 0;  // under way (a batch is one)
  std::size_t waiting = 0;  // tasks, for a connection
};

class Pool : public Queries<Pool> {
 public:
  // Connects when it is first asked. Throws std::invalid_argument if a bound is 0.
  explicit Pool(PoolOptions options);

  // Begins one. Errors: Unavailable; as of queries.
  [[nodiscard]] Task<Transaction> transaction(TransactionOptions options = {}) const;

  // Any thread.
  [[nodiscard]] PoolState state() const;

 private:
  friend class Queries<Pool>;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;

  std::shared_ptr<internal::ConnectionPool> pool_;
};

}  // namespace volt::pg
