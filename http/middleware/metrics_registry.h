// The counters behind Metrics: a place for each worker, and their sum.
//
// Threads: record(), enter() and leave() on a worker; snapshot() on any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/method.h"
#include "http/metrics.h"
#include "http/middleware/worker_slots.h"

namespace volt::http::middleware {

class MetricsRegistry {
 public:
  // A request comes, and goes: perhaps on another worker, so only their sum means anything.
  void enter() { add_active(1); }
  void leave() { add_active(-1); }
  void record(Method method, std::string_view pattern, unsigned status_class, std::chrono::nanoseconds duration);

  [[nodiscard]] MetricsSnapshot snapshot() const;

 private:
  // The pattern is a view of whoever asks, or of the series itself.
  struct Key {
    std::string_view pattern;
    Method method;
    unsigned status_class;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      const std::size_t kind = static_cast<std::size_t>(key.method) * 8 + key.status_class;
      return std::hash<std::string_view>()(key.pattern) ^ (kind * 0x9e3779b97f4a7c15u);
    }
  };
  struct Place {
    std::mutex mutex;
    std::int64_t active = 0;
    std::unordered_map<Key, std::unique_ptr<DurationSeries>, KeyHash> series;
  };

  void add_active(std::int64_t change);
  static DurationSeries& series_of(Place& place, const Key& key);

  WorkerSlots<Place> places_;
};

}  // namespace volt::http::middleware
