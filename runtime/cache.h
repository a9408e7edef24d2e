// SPDX-License-Identifier: MIT

// Cache: values that are expensive to make, kept for a time, within bounds, and made once for all tasks that need one.
//
//   volt::Cache<std::string, Price> prices({.keep = 1min, .entries_max = 10'000});
//   const std::shared_ptr<const Price> price = co_await prices.get(item, [&] { return fetch(item); });
//   prices.erase(item);   // it has changed
//
// If several tasks need a value that is missing, one makes it, and the others wait. If that task fails or is cancelled,
// it alone gets the exception, and the next task makes the value. A value that does not exist, such as an unknown item,
// is cached if it is a value: Cache<std::string, std::optional<Price>>.
//
// Threads: get(), find() and put() are called in tasks of one runtime, whose clock the cache uses; the others from any
// thread. One lock is held for the look-up, not while a value is made.
// Lifetime: must outlive the tasks that use it; values are shared, and stay valid after they are evicted.
// Errors: get() throws what the callable throws. A task waits for another one without a limit of its own: bound the
// request (`within`, `http::timeout`).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/deadline.h"
#include "runtime/lru_map.h"
#include "runtime/metric_sink.h"
#include "runtime/single_flight.h"
#include "runtime/task.h"

namespace volt {

struct CacheOptions {
  std::chrono::nanoseconds keep = std::chrono::minutes(1);  // how long a value is used; above 0
  std::size_t entries_max = 10'000;  // values in memory; of more, the one unused for longest is evicted
  std::size_t bytes_max = SIZE_MAX;  // maximum sum of the sizes that `bytes_of` returns
  std::string name = "default";      // label `cache` of the metrics
};

// A snapshot of the counts of a cache, since its creation.
struct CacheState {
  std::size_t entries = 0;
  std::size_t bytes = 0;
  std::uint64_t hits = 0;       // values that were in memory
  std::uint64_t misses = 0;     // values that were made
  std::uint64_t shared = 0;     // values that another task was making
  std::uint64_t evictions = 0;  // values that left before their time, for others
};

template <class Key, class Value>
class Cache {
 public:
  using Pointer = std::shared_ptr<const Value>;
  using Shareable = void;  // may be the state of an app

  // `bytes_of` returns the size of a value for bytes_max; without it values have no size.
  explicit Cache(CacheOptions options = {}, std::function<std::size_t(const Value&)> bytes_of = {})
      : options_(std::move(options)),
        bytes_of_(std::move(bytes_of)),
        entries_({.entries_max = options_.entries_max, .bytes_max = options_.bytes_max}) {}

  // Returns the value. If it is missing or too old, awaits the task that `make()` returns, unless another task makes
  // it. `make` lives until the await ends.
  template <class Make>
  [[nodiscard]] Task<Pointer> get(Key key, Make make) {
    Pointer known = find(key);
    if (known != nullptr) co_return known;
    auto turn = co_await flights_.join(key, std::chrono::nanoseconds::max());
    if (const Pointer* made = turn->value()) {
      count(&CacheState::shared);
      co_return *made;
    }
    known = peek(key);  // made between the look-up and this turn
    if (known == nullptr) {
      count(&CacheState::misses);
      Value made = co_await make();
      known = std::make_shared<const Value>(std::move(made));
      const std::size_t bytes = bytes_of_ ? bytes_of_(*known) : 0;
      turn->settle(known, [&] { store(std::move(key), known, bytes); });
    } else {
      turn->settle(known);
    }
    co_return known;
  }

  // Returns the value if it is in memory; null if not.
  [[nodiscard]] Pointer find(const Key& key) {
    Pointer known = peek(key);
    if (known != nullptr) count(&CacheState::hits);
    return known;
  }

  void put(Key key, Value value) {
    flights_.forget(key);
    auto known = std::make_shared<const Value>(std::move(value));
    const std::size_t bytes = bytes_of_ ? bytes_of_(*known) : 0;
    store(std::move(key), std::move(known), bytes);
  }

  // Forgets the value, also one that a task is making now.
  void erase(const Key& key) {
    flights_.forget(key);
    const std::scoped_lock lock(mutex_);
    entries_.erase(key);
  }

  [[nodiscard]] CacheState state() const {
    const std::scoped_lock lock(mutex_);
    CacheState state = counts_;
    state.entries = entries_.size();
    state.bytes = entries_.bytes();
    return state;
  }

  void report_metrics(MetricSink& sink) const {
    const CacheState now = state();
    const std::string_view name = options_.name;
    constexpr std::string_view kLookups = "volt_cache_lookups_total";
    constexpr std::string_view kHelp = "Look-ups in a cache.";
    sink.counter(kLookups, kHelp, {{"cache", name}, {"outcome", "hit"}}, now.hits);
    sink.counter(kLookups, kHelp, {{"cache", name}, {"outcome", "miss"}}, now.misses);
    sink.counter(kLookups, kHelp, {{"cache", name}, {"outcome", "shared"}}, now.shared);
    sink.counter("volt_cache_evictions_total", "Values that were evicted for others.", {{"cache", name}},
                 now.evictions);
    sink.gauge("volt_cache_entries", "Values in a cache.", {{"cache", name}}, static_cast<double>(now.entries));
    sink.gauge("volt_cache_bytes", "Size of the values in a cache.", {{"cache", name}}, static_cast<double>(now.bytes));
  }

 private:
  struct Entry {
    Pointer value;
    Deadline good_until;
  };

  Pointer peek(const Key& key) {
    const std::scoped_lock lock(mutex_);
    const Entry* entry = entries_.find(key);
    if (entry == nullptr) return nullptr;
    if (!entry->good_until.passed()) return entry->value;
    entries_.erase(key);
    return nullptr;
  }

  void store(Key key, Pointer value, std::size_t bytes) {
    const Deadline good_until = Deadline::after(options_.keep);
    const std::scoped_lock lock(mutex_);
    counts_.evictions += entries_.put(std::move(key), {std::move(value), good_until}, bytes);
  }

  void count(std::uint64_t CacheState::* counter) {
    const std::scoped_lock lock(mutex_);
    ++(counts_.*counter);
  }

  const CacheOptions options_;
  const std::function<std::size_t(const Value&)> bytes_of_;
  SingleFlight<Key, Pointer> flights_;
  mutable std::mutex mutex_;
  LruMap<Key, Entry> entries_;
  CacheState counts_;
};

}  // namespace volt
