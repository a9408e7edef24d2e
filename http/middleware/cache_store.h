// SPDX-License-Identifier: MIT

// CacheStore: where http::cache() keeps responses: in the memory of the process (MemoryCacheStore, the default), or in
// Redis for all replicas (stores/redis_cache.h).
//
// A removal is a number in a sequence. A response is not used if one of its tags was removed after the look-up with
// which its computation began, even if the response is saved after the removal. So a removal needs no list of the
// responses with a tag, and a handler that has read the old state cannot bring it back.
//
// Threads: a store is used by any task, by many at a time. Lifetime: the caches that use it share its ownership.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/headers.h"
#include "http/message/status.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::http {

// A response as it is kept; times are relative to its save.
struct CachedResponse {
  Status status = Status::ok;
  std::string content_type;
  FieldList fields;  // without Age and Cache-Tag
  std::string body;
  std::chrono::seconds age{0};  // when it was saved: the Age field of another server's response
  std::chrono::seconds fresh_for{0};
  std::chrono::seconds stale_while_revalidate{0};  // after fresh_for
  std::chrono::seconds stale_if_error{0};          // after fresh_for
  std::vector<std::string> tags;                   // with the path of the request, such as "/items/7"
  std::string vary;  // the request fields on which it depends, and their values (http/middleware/internal/cache_key.h)

  // Returns how long the response may be of use.
  [[nodiscard]] std::chrono::seconds keep_for() const noexcept;
  // Returns its size in memory, in bytes.
  [[nodiscard]] std::size_t size() const noexcept;
};

class CacheStore {
 public:
  struct Lookup {
    std::shared_ptr<const CachedResponse> response = {};  // null: none
    std::chrono::nanoseconds since_save{0};               // time since the response was saved
    std::uint64_t sequence = 0;                           // number of the last removal, for save()
  };

  CacheStore() = default;
  virtual ~CacheStore() = default;
  CacheStore(const CacheStore&) = delete;
  CacheStore& operator=(const CacheStore&) = delete;

  // Returns the response that was saved under `key`, unless it was saved more than keep_for() ago or removed. Must wait
  // only for a bounded time, and must not throw because a server is away: it then finds nothing.
  [[nodiscard]] virtual Task<Lookup> load(std::string key) = 0;
  // Saves a response that was made after the look-up with that `sequence`.
  virtual Task<> save(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) = 0;
  // Removes all responses with this tag. Throws if that is not certain.
  virtual Task<> remove(std::string tag) = 0;

  // Reports the metrics of the store; `cache` is the name of the cache.
  virtual void report_metrics(MetricSink& sink, std::string_view cache) const = 0;
};

struct MemoryCacheOptions {
  std::size_t entries_max = 10'000;            // responses; of more, the one unused for longest is evicted
  std::size_t bytes_max = 64UL * 1024 * 1024;  // of all responses; one of more than 1/16 of it is not kept
};

class MemoryCacheStore final : public CacheStore {
 public:
  explicit MemoryCacheStore(MemoryCacheOptions options = {});
  ~MemoryCacheStore() override;

  [[nodiscard]] Task<Lookup> load(std::string key) override;
  Task<> save(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) override;
  Task<> remove(std::string tag) override;
  void report_metrics(MetricSink& sink, std::string_view cache) const override;

 private:
  class Shards;
  const std::unique_ptr<Shards> shards_;
};

}  // namespace volt::http
