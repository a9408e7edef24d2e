// SPDX-License-Identifier: MIT

// Pool: the HTTP client's connection pool, which keeps idle connections for later requests (keep-alive). The most
// recently used connection is taken first, so that connections which are not needed reach their idle timeout.
//
// Threads: any. Lifetime: shared by the client and its responses. Memory: at most idle_max connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "http/client/client.h"
#include "http/client/internal/connection.h"
#include "http/client/internal/statistics.h"

namespace volt::http::client {

class Pool {
 public:
  explicit Pool(const ClientOptions& options)
      : per_origin_max_(options.idle_per_origin_max),
        max_(options.idle_max),
        keep_(options.idle_timeout),
        statistics_(std::make_shared<Statistics>(options.name)) {}

  // Returns an idle connection to `origin` that has not ended, or null if there is none. Call in a task.
  [[nodiscard]] std::unique_ptr<Connection> take(const std::string& origin);
  // Keeps the connection, if the limits allow it or older ones can be closed in its place. Call in a task.
  void give_back(std::unique_ptr<Connection> connection);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const std::shared_ptr<Statistics>& statistics() const noexcept { return statistics_; }

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::nanoseconds since;
  };
  using Connections = std::list<Idle>;  // oldest first

  [[nodiscard]] Connections take_expired_locked(std::chrono::nanoseconds now);
  [[nodiscard]] Connections take_surplus_locked(const std::string& origin);

  const std::size_t per_origin_max_;
  const std::size_t max_;
  const std::chrono::nanoseconds keep_;
  const std::shared_ptr<Statistics> statistics_;
  mutable std::mutex mutex_;
  Connections idle_;
};

}  // namespace volt::http::client
