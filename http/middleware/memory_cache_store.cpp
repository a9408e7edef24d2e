// SPDX-License-Identifier: MIT

// Edges
//   M1  add()'s release of last_  ->  last()'s and none_since()'s acquire : a response that is saved with the number of
//                                     a removal was made from the state after it

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "crypto/keyed_hash.h"
#include "http/middleware/cache_store.h"
#include "runtime/base/atomic.h"
#include "runtime/deadline.h"
#include "runtime/lru_map.h"
#include "runtime/metric_sink.h"

namespace volt::http {
namespace {

constexpr std::size_t kShards = 16;
constexpr std::size_t kRemovalsMax = 4096;  // tags whose removal is remembered

// The last removals by tag. Older ones are forgotten together with all responses from before them.
class Removals {
 public:
  [[nodiscard]] std::uint64_t last() const noexcept { return last_.load(base::acquire); }  // M1

  void add(std::string tag) {
    const std::scoped_lock lock(mutex_);
    const std::uint64_t number = last_.load(base::relaxed) + 1;  // relaxed: written under the lock only
    by_tag_.insert_or_assign(tag, number);
    in_order_.emplace_back(number, std::move(tag));
    last_.store(number, base::release);  // M1
    if (in_order_.size() <= kRemovalsMax) return;
    const auto& [sequence, oldest] = in_order_.front();
    const auto known = by_tag_.find(oldest);
    if (known != by_tag_.end() && known->second == sequence) {  // not removed again later
      forgotten_ = sequence;
      by_tag_.erase(known);
    }
    in_order_.pop_front();
  }

  // Returns the number of the last removal, if none of the tags was removed after `sequence`; otherwise nothing.
  [[nodiscard]] std::optional<std::uint64_t> none_since(std::uint64_t sequence,
                                                        const std::vector<std::string>& tags) const {
    if (sequence == last()) return sequence;  // needs no lock
    const std::scoped_lock lock(mutex_);
    if (sequence < forgotten_) return std::nullopt;
    for (const std::string& tag : tags) {
      const auto removed = by_tag_.find(tag);
      if (removed != by_tag_.end() && removed->second > sequence) return std::nullopt;
    }
    return last();
  }

 private:
  mutable std::mutex mutex_;
  base::Atomic<std::uint64_t> last_{0};  // number of the last removal
  std::uint64_t forgotten_ = 0;
  std::map<std::string, std::uint64_t> by_tag_;
  std::deque<std::pair<std::uint64_t, std::string>> in_order_;
};

}  // namespace

std::chrono::seconds CachedResponse::keep_for() const noexcept {
  return fresh_for + std::max(stale_while_revalidate, stale_if_error);
}

std::size_t CachedResponse::size() const noexcept {
  std::size_t bytes = sizeof(CachedResponse) + content_type.size() + fields.lines().size() + body.size() + vary.size();
  for (const std::string& tag : tags) bytes += sizeof(tag) + tag.size();
  return bytes;
}

// The responses are divided by their keys, so that the look-ups of several workers seldom meet.
class MemoryCacheStore::Shards {
 public:
  explicit Shards(const MemoryCacheOptions& options) {
    const LruBounds bounds{.entries_max = std::max<std::size_t>(1, options.entries_max / kShards),
                           .bytes_max = options.bytes_max / kShards};
    for (auto& shard : shards_) shard = std::make_unique<Shard>(bounds);
  }

  Lookup load(const std::string& key) {
    Lookup found{.sequence = removals_.last()};
    Shard& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    Entry* entry = shard.entries.find(key);
    if (entry == nullptr) return found;
    const std::optional<std::uint64_t> valid_at = removals_.none_since(entry->sequence, entry->response->tags);
    if (!valid_at || entry->keep_until.passed()) {
      shard.entries.erase(key);
      return found;
    }
    entry->sequence = *valid_at;
    found.response = entry->response;
    found.since_save = entry->response->keep_for() - entry->keep_until.left();
    return found;
  }

  void save(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) {
    const Deadline keep_until = Deadline::after(response->keep_for());
    const std::size_t bytes = response->size() + 2 * key.size() + kNodeBytes;
    Shard& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    shard.evictions += shard.entries.put(std::move(key), {std::move(response), keep_until, sequence}, bytes);
  }

  void remove(std::string tag) { removals_.add(std::move(tag)); }

  void report(MetricSink& sink, std::string_view cache) const {
    std::size_t entries = 0;
    std::size_t bytes = 0;
    std::uint64_t evictions = 0;
    for (const auto& shard : shards_) {
      const std::scoped_lock lock(shard->mutex);
      entries += shard->entries.size();
      bytes += shard->entries.bytes();
      evictions += shard->evictions;
    }
    sink.gauge("volt_http_cache_entries", "Responses in the memory of a cache.", {{"cache", cache}},
               static_cast<double>(entries));
    sink.gauge("volt_http_cache_bytes", "Size of the responses in the memory of a cache.", {{"cache", cache}},
               static_cast<double>(bytes));
    sink.counter("volt_http_cache_evictions_total", "Responses that were evicted for others.", {{"cache", cache}},
                 evictions);
  }

 private:
  static constexpr std::size_t kNodeBytes = 200;  // of the list and of the map

  struct Entry {
    std::shared_ptr<const CachedResponse> response;
    Deadline keep_until;
    std::uint64_t sequence;  // of a removal after which the response was known to be valid
  };
  struct Shard {
    explicit Shard(const LruBounds& bounds) : entries(bounds) {}
    std::mutex mutex;
    LruMap<std::string, Entry> entries;
    std::uint64_t evictions = 0;
  };

  Shard& shard_of(const std::string& key) { return *shards_[crypto::keyed_hash(hash_key_, key) % kShards]; }

  const crypto::HashKey hash_key_ = crypto::random_hash_key();
  std::array<std::unique_ptr<Shard>, kShards> shards_;
  Removals removals_;
};

MemoryCacheStore::MemoryCacheStore(MemoryCacheOptions options) : shards_(std::make_unique<Shards>(options)) {}

MemoryCacheStore::~MemoryCacheStore() = default;

Task<CacheStore::Lookup> MemoryCacheStore::load(std::string key) { co_return shards_->load(key); }

Task<> MemoryCacheStore::save(std::string key, std::shared_ptr<const CachedResponse> response, std::uint64_t sequence) {
  shards_->save(std::move(key), std::move(response), sequence);
  co_return;
}

Task<> MemoryCacheStore::remove(std::string tag) {
  shards_->remove(std::move(tag));
  co_return;
}

void MemoryCacheStore::report_metrics(MetricSink& sink, std::string_view cache) const { shards_->report(sink, cache); }

}  // namespace volt::http
