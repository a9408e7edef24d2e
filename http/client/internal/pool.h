// Pool: the connections that wait for their next request. The one that was used last is used first, so that the others
// grow old and go.
//
// Threads: any. Lifetime: shared by the client and its responses. Memory: idle_max connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "http/client/client.h"
#include "http/client/internal/connection.h"

namespace volt::http::client {

class Pool {
 public:
  explicit Pool(const ClientOptions& options) noexcept
      : per_origin_max_(options.idle_per_origin_max), max_(options.idle_max), keep_(options.idle_timeout) {}

  // One to that origin that has not ended; null: there is none. In a task.
  [[nodiscard]] std::unique_ptr<Connection> take(const std::string& origin);
  // Keeps it, if there is room or others can go for it. In a task.
  void give_back(std::unique_ptr<Connection> connection);

  [[nodiscard]] std::size_t size() const;

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::chrono::nanoseconds since;
  };
  using Connections = std::list<Idle>;  // the oldest first

  [[nodiscard]] Connections take_expired_locked(std::chrono::nanoseconds now);
  [[nodiscard]] Connections take_surplus_locked(const std::string& origin);

  const std::size_t per_origin_max_;
  const std::size_t max_;
  const std::chrono::nanoseconds keep_;
  mutable std::mutex mutex_;
  Connections idle_;
};

}  // namespace volt::http::client
