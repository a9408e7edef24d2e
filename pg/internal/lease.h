// SPDX-License-Identifier: MIT

// Lease: a place on a connection of the pool. The destructor returns the place.
//
// Threads: any, one at a time. Lifetime: keeps the pool and the connection alive.
#pragma once

#include <memory>
#include <utility>

namespace volt::pg::internal {

class Connection;
class ConnectionPool;

enum class Share : bool { shared, exclusive };

class Lease {
 public:
  Lease(std::shared_ptr<ConnectionPool> pool, std::shared_ptr<Connection> connection, Share share) noexcept
      : slots_(std::move(pool)), connection_(std::move(connection)), share_(share) {}
  Lease(Lease&& other) noexcept = default;
  Lease& operator=(Lease&& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(connection_, other.connection_);
    std::swap(share_, other.share_);
    return *this;
  }
  ~Lease();

  [[nodiscard]] const std::shared_ptr<Connection>& connection() const noexcept { return connection_; }
  // Prevents new leases of this connection until all of its leases are destroyed.
  void close_to_others() const;

 private:
  std::shared_ptr<ConnectionPool> slots_;  // null once moved from
  std::shared_ptr<Connection> connection_;
  Share share_;
};

}  // namespace volt::pg::internal
