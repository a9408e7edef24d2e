// SPDX-License-Identifier: MIT

// RedisRateLimits: rate limits that are counted in Redis or Valkey, one for all processes that use the same server.
//
//   redis::Pool redis(redis::options_from_environment());
//   const auto limits = std::make_shared<stores::RedisRateLimits>(redis, stores::RedisRateLimitOptions{.replicas = 3});
//   app.state(limits);                                                       // reports its metrics
//   app.use(http::rate_limit({.per_second = 100, .burst = 200}, {.name = "app", .store = limits}));
//
// A key is one number in Redis, the time at which its burst is regained (GCRA, which
// http/middleware/internal/token_bucket.h describes), with an expiry at that time: a client that is quiet has no key.
// One script reads and writes it in one round trip, by the clock of the server, so that the clocks of the replicas need
// not agree. The names of clients, which may be API keys, are stored as digests.
//
// Each request has one key, with a hash tag around the limit and the client, `rate:{api:kVx1..}`. So the script runs on
// a cluster behind a proxy, and the keys are spread over its slots.
//
// If Redis does not answer within `timeout`, or refuses the script, the process decides as `on_failure` says, without
// asking Redis again for `retry_after`; then one request asks. The log has one line when this begins and one when it
// ends (module `stores`). A failover of Redis to a replica may forget the last requests, which are then admitted twice.
//
// Threads: any task. Lifetime: keeps the pool open. Errors: none; take() decides. Requires Redis 5 or Valkey.
// Rejected: INCR and EXPIRE of a counter per second, which admit twice the burst around the end of a second, and a list
// of the times of a client's requests, whose memory grows with the rate.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/middleware/rate_limit_store.h"
#include "redis/pool.h"

namespace volt {
class MetricSink;
}

namespace volt::stores {

class Availability;

enum class OnRedisFailure : std::uint8_t {
  count_locally,  // in memory: each process admits its part of the limit (RedisRateLimitOptions::replicas)
  allow,          // all requests
  refuse,         // no request: 503
};

struct RedisRateLimitOptions {
  std::string prefix = "rate:";  // of the keys
  OnRedisFailure on_failure = OnRedisFailure::count_locally;
  std::uint32_t replicas = 1;             // processes that share the limits; count_locally divides by it; at least 1
  std::size_t local_entries_max = 65536;  // keys remembered by count_locally
  std::chrono::milliseconds timeout = std::chrono::milliseconds(100);  // maximum wait of a request for Redis
  std::chrono::milliseconds retry_after = std::chrono::seconds(1);     // pause after a failure
};

class RedisRateLimits final : public http::RateLimitStore {
 public:
  // Throws std::invalid_argument if replicas is 0, or if timeout or retry_after is not positive.
  explicit RedisRateLimits(redis::Pool redis, RedisRateLimitOptions options = {});
  ~RedisRateLimits() override;

  [[nodiscard]] Task<http::RateLimitVerdict> take(std::string key, http::RateLimit limit) override;

  // Reports volt_rate_limit_store_available, and volt_rate_limit_store_fallbacks_total: the requests that were decided
  // without Redis.
  void report_metrics(MetricSink& sink) const;

 private:
  [[nodiscard]] Task<http::RateLimitVerdict> ask(std::string key, http::RateLimit limit);
  [[nodiscard]] Task<http::RateLimitVerdict> decide_without(std::string key, http::RateLimit limit);

  const redis::Pool redis_;
  const RedisRateLimitOptions options_;
  const redis::Script script_;
  const std::unique_ptr<Availability> availability_;
  http::MemoryRateLimits local_;
};

}  // namespace volt::stores
