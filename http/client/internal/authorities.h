// SPDX-License-Identifier: MIT

// Authorities: what a client knows of each server to which it sends requests: an Authority, found by the key of the
// connection pool.
//
// Threads: any. Memory: kKnownMax servers. If there are more, one without a request in progress is forgotten, and
// begins as a new one with its next request; the bound is exceeded only while all of them have requests in progress.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "http/client/internal/circuit_breaker.h"
#include "http/client/internal/response_times.h"
#include "http/client/internal/retry_budget.h"
#include "runtime/semaphore.h"

namespace volt::http {
struct ClientOptions;
}

namespace volt::http::client {

struct Authority {
  explicit Authority(const ClientOptions& options);

  RetryBudget retry_budget;
  ResponseTimes response_times;
  CircuitBreaker circuit;
  Semaphore places;  // a permit for each request in progress
};

class Authorities {
 public:
  static constexpr std::size_t kKnownMax = 1024;

  // `options` must outlive this object. Throws std::invalid_argument if an option is out of its range.
  explicit Authorities(const ClientOptions& options);

  // Returns the number of circuits in `state`.
  [[nodiscard]] std::size_t circuits(CircuitState state) const;
  // Returns the server of `origin`; null if no option needs to know of servers, and neither does the request. A request
  // keeps it while it is in progress.
  [[nodiscard]] std::shared_ptr<Authority> find(const std::string& origin, bool request_needs_it = false);

 private:
  void forget_one_locked();

  const ClientOptions& options_;
  const bool needed_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Authority>> known_;
};

}  // namespace volt::http::client
