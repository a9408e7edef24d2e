// SPDX-License-Identifier: MIT

#include "http/client/internal/pool.h"

#include <algorithm>
#include <iterator>

#include "runtime/per_worker.h"

namespace volt::http::client {

// Removed connections. They are destroyed after the lock has been released, because closing a TLS connection writes to
// the socket.
std::unique_ptr<Connection> Pool::take(const std::string& origin) {
  Connections removed;
  for (;;) {
    std::unique_ptr<Connection> connection;
    {
      const std::scoped_lock lock(mutex_);
      removed.splice(removed.end(), take_expired_locked(coarse_now()));
      const auto last = std::ranges::find(idle_.rbegin(), idle_.rend(), origin,
                                          [](const Idle& idle) { return idle.connection->origin(); });
      if (last == idle_.rend()) return nullptr;
      connection = std::move(last->connection);
      idle_.erase(std::prev(last.base()));
    }
    if (connection->quiet()) return connection;
  }
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  Connections removed;
  Connections kept;
  const std::chrono::nanoseconds now = coarse_now();
  const std::string origin = connection->origin();  // copied: the connection itself may be the one that is removed
  kept.push_back({std::move(connection), now});
  const std::scoped_lock lock(mutex_);
  removed.splice(removed.end(), take_expired_locked(now));
  idle_.splice(idle_.end(), kept);
  removed.splice(removed.end(), take_surplus_locked(origin));
}

std::size_t Pool::size() const {
  const std::scoped_lock lock(mutex_);
  return idle_.size();
}

Pool::Connections Pool::take_expired_locked(std::chrono::nanoseconds now) {
  Connections expired;
  const auto young = std::ranges::find_if(idle_, [&](const Idle& idle) { return now - idle.since < keep_; });
  expired.splice(expired.end(), idle_, idle_.begin(), young);
  return expired;
}

// If more than per_origin_max_ connections to `origin` are idle, removes the oldest of them. If more than max_
// connections are idle after that, removes the oldest of all.
Pool::Connections Pool::take_surplus_locked(const std::string& origin) {
  Connections surplus;
  const auto to_origin = [&](const Idle& idle) { return idle.connection->origin() == origin; };
  if (std::ranges::count_if(idle_, to_origin) > static_cast<std::ptrdiff_t>(per_origin_max_)) {
    surplus.splice(surplus.end(), idle_, std::ranges::find_if(idle_, to_origin));
  }
  if (idle_.size() > max_) surplus.splice(surplus.end(), idle_, idle_.begin());
  return surplus;
}

}  // namespace volt::http::client
