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
  Lease(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<PooledConnection> connection, Demand demand) noexcept
      : pool_(std::move(pool)), connection_(std::move(connection)), demand_(demand) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(connection_, other.connection_);
    std::swap(demand_, other.demand_);
    return *this;
  }
  ~Lease();

  [[nodiscard]] const std::shared_ptr<PooledConnection>& connection() const noexcept { return connection_; }
  // Prevents new leases of this connection until all of its leases are destroyed.
  void close_to_others() const;

 private:
  std::shared_ptr<ConnectionPool> pool_;  // null once moved from
  std::shared_ptr<PooledConnection> connection_;
  Demand demand_;
};

}  // namespace volt::database
