// SPDX-License-Identifier: MIT

// Lease: a place on a connection of a pool (database/connection_pool.h). The destructor returns the place.
//
// Threads: any, one at a time. Lifetime: keeps the pool and the connection alive.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace volt::database {

class ConnectionPool;
class PooledConnection;

// The place that a task needs.
struct Demand {
  bool exclusive = false;  // no further lease is given on the connection until this one is returned
  std::size_t bytes = 0;   // size of what the task will send
};

class Lease {
 public:
  Lease() = default;  // of nothing
  Lease(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<PooledConnection> connection, Demand demand) noexcept;
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(connection_, other.connection_);
    std::swap(demand_, other.demand_);
    std::swap(sent_, other.sent_);
    return *this;
  }
  ~Lease();

  [[nodiscard]] const std::shared_ptr<PooledConnection>& connection() const noexcept { return connection_; }
  // Must be called after the task has sent its query, if the pool gives exclusive leases. Until then it gives none on
  // this connection: the query of this task would get into the transaction of another one. Takes the lock of the pool,
  // may destroy leases of other tasks, and wakes tasks: the caller must not hold a lock that any of these, or
  // PooledConnection::close(), takes. Must be called in a task, and not on a lease of nothing.
  void set_sent() noexcept;
  // Prevents new leases of this connection until all of its leases are destroyed.
  void close_to_others() const;

 private:
  std::shared_ptr<ConnectionPool> pool_;  // null once moved from
  std::shared_ptr<PooledConnection> connection_;
  Demand demand_;
  bool sent_ = false;
};

}  // namespace volt::database
