// SPDX-License-Identifier: MIT

// Lease: a place for a command on a connection of the pool. The destructor returns the place.
//
// Threads: any, one at a time. Lifetime: keeps the pool and the connection alive.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace volt::redis::internal {

class Connection;
class ConnectionPool;

class Lease {
 public:
  Lease() = default;  // of nothing
  Lease(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<Connection> connection, std::size_t bytes) noexcept
      : pool_(std::move(pool)), connection_(std::move(connection)), bytes_(bytes) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(connection_, other.connection_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Lease();

  [[nodiscard]] const std::shared_ptr<Connection>& connection() const noexcept { return connection_; }

 private:
  std::shared_ptr<ConnectionPool> pool_;  // null once moved from
  std::shared_ptr<Connection> connection_;
  std::size_t bytes_ = 0;  // size of the command
};

}  // namespace volt::redis::internal
