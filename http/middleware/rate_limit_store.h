// SPDX-License-Identifier: MIT

// RateLimitStore: where rate limits are counted. By default each rate_limit() counts in memory of its own, so that
// three replicas of a service admit three times as much. A store that the replicas share makes one limit of them:
//
//   const auto limits = std::make_shared<stores::RedisRateLimits>(redis);   // stores/redis_rate_limits.h
//   app.use(http::rate_limit({.per_second = 100, .burst = 200}, {.name = "app", .store = limits}));
//   api.use(http::rate_limit({.per_second = 5, .burst = 10, .key = api_key}, {.name = "api", .store = limits}));
//
// Responses then also have the fields that tell a client its limit (draft-ietf-httpapi-ratelimit-headers-10):
//
//   RateLimit-Policy: "api";q=10;w=2      10 requests at once, and again after 2 seconds
//   RateLimit: "api";r=9;t=1              9 are left; after 1 second there are 10 again
//
// Threads: a store is used by any task, by many at a time. Lifetime: the middleware shares the ownership of the store.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/middleware/limits.h"
#include "http/web/middleware.h"
#include "runtime/task.h"

namespace volt::http {

struct RateLimit {
  double per_second = 10;    // sustained rate of a key; above 0
  std::uint32_t burst = 20;  // requests at once after a pause; at least 1, and regained within a year
};

enum class RateLimitDecision : std::uint8_t {
  allowed,
  refused,      // the rate is exceeded: 429
  unavailable,  // the store cannot count, and refuses requests rather than admit too many: 503
};

struct RateLimitVerdict {
  RateLimitDecision decision = RateLimitDecision::allowed;
  std::uint32_t remaining = 0;              // requests that would be allowed at once now
  std::chrono::nanoseconds retry_after{0};  // if not allowed: the time until a request may be
  std::chrono::nanoseconds full_after{0};   // the time until `burst` requests are allowed at once
};

class RateLimitStore {
 public:
  RateLimitStore() = default;
  virtual ~RateLimitStore() = default;
  RateLimitStore(const RateLimitStore&) = delete;
  RateLimitStore& operator=(const RateLimitStore&) = delete;

  // Counts one request of `key`, if the rate allows it. A key, of any bytes, is always passed with the same limit.
  // Must wait only for a bounded time, and must not throw because a server is away: it then decides by itself.
  [[nodiscard]] virtual Task<RateLimitVerdict> take(std::string key, RateLimit limit) = 0;
};

// Counts in the memory of the process; serves tests, programs of one process, and as the fallback of other stores.
class MemoryRateLimits final : public RateLimitStore {
 public:
  // `entries_max`: keys remembered, 16 bytes each; of more, the least active is forgotten.
  explicit MemoryRateLimits(std::size_t entries_max = 65536);
  ~MemoryRateLimits() override;

  [[nodiscard]] Task<RateLimitVerdict> take(std::string key, RateLimit limit) override;

 private:
  class Buckets;
  const std::unique_ptr<Buckets> buckets_;
};

struct SharedRateLimit {
  // Part of the keys, and of the fields: limits with one name and one store count together, and must be equal.
  // 1 to 64 letters, digits, '_', '-' and '.'.
  std::string name;
  std::shared_ptr<RateLimitStore> store;
  bool fields = true;  // whether responses have RateLimit and RateLimit-Policy
};

// As rate_limit() of http/middleware/limits.h, but counts in `shared.store`; `options.entries_max` is not used. Throws
// std::invalid_argument, also for a malformed name or a null store.
[[nodiscard]] Middleware rate_limit(RateLimitOptions options, SharedRateLimit shared);

}  // namespace volt::http
