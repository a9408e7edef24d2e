// SPDX-License-Identifier: MIT

// RedisCache: keeps the responses of http::cache() in Redis or Valkey, for all processes that use the same server.
//
//   redis::Pool redis(redis::options_from_environment());
//   const auto pages = std::make_shared<http::ResponseCache>(
//       http::ResponseCacheOptions{.store = std::make_shared<stores::RedisCache>(redis)});
//   app.use(http::cache(pages));
//
// Each response is a hash with an expiry, under a digest of its key. A look-up is one script in one round trip; so are
// a save and a removal. The last removals are in one sorted set, numbered by the clock of the server. If the server
// evicts that set, all responses from before count as removed. The server's `maxmemory` bounds the memory; a response
// that it refuses for lack of memory is not kept. All keys have the hash tag `{prefix}`, so that the scripts run on a
// cluster behind a proxy; there they are in one slot.
//
// If Redis does not answer within `timeout`, or fails, the process finds and keeps nothing for `retry_after`; then one
// request asks again. The log has one line when this begins and one when it ends (module `stores`). remove() asks Redis
// in any case, and throws redis::Error if it fails: old responses are then used until their lifetime ends.
//
// Of concurrent misses, one request per process runs the handler.
//
// Threads: any task. Lifetime: keeps the pool open. Requires Redis 5 or Valkey.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/middleware/cache_store.h"
#include "redis/pool.h"

namespace volt::stores {

class Availability;

struct RedisCacheOptions {
  std::string prefix = "cache";                                        // of the keys; without braces
  std::chrono::milliseconds timeout = std::chrono::milliseconds(100);  // maximum wait of a request for Redis
  std::chrono::milliseconds retry_after = std::chrono::seconds(1);     // pause after a failure
};

class RedisCache final : public http::CacheStore {
 public:
  // Throws std::invalid_argument if the prefix has a brace, or if timeout or retry_after is not positive.
  explicit RedisCache(redis::Pool redis, RedisCacheOptions options = {});
  ~RedisCache() override;

  [[nodiscard]] Task<Lookup> load(std::string key) override;
  Task<> save(std::string key, std::shared_ptr<const http::CachedResponse> response, std::uint64_t sequence) override;
  Task<> remove(std::string tag) override;

  // Reports volt_http_cache_store_available, and volt_http_cache_store_fallbacks_total: look-ups and saves without
  // Redis.
  void report_metrics(MetricSink& sink, std::string_view cache) const override;

 private:
  [[nodiscard]] std::string key_in_redis(const std::string& key) const;
  [[nodiscard]] Task<Lookup> ask(std::string key);
  [[nodiscard]] Task<bool> send(std::string key, std::shared_ptr<const http::CachedResponse> response,
                                std::uint64_t sequence);

  const redis::Pool redis_;
  const RedisCacheOptions options_;
  const std::string removals_;  // the key of the sorted set
  const redis::Script load_, save_, remove_;
  const std::unique_ptr<Availability> availability_;
};

}  // namespace volt::stores
