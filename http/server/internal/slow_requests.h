// SPDX-License-Identifier: MIT

// SlowRequests: the slowest requests of each of the last five minutes, for the operators' page.
//
// Only a request that took a millisecond and is slower than those that are kept takes the lock, so a fast service never
// does, and a slow one takes it seldom.
//
// Threads: any. Lifetime: in Traffic.
//
// Edges: none; what the atomics decide is decided again under the lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/message/method.h"
#include "http/server/internal/request_times.h"
#include "http/web/exchange.h"
#include "runtime/base/atomic.h"

namespace volt::http::server {

struct SlowRequest {
  std::uint32_t route = 0;  // as in Traffic
  Method method = Method::get;
  unsigned status = 0;  // 0: there was no response
  ExchangeOutcome outcome = ExchangeOutcome::complete;
  std::chrono::system_clock::time_point ended;
  RequestPhases phases;
  std::string id;        // empty: it was given none
  std::string trace_id;  // in hexadecimal; empty: it was in no trace
};

class SlowRequests {
 public:
  static constexpr std::chrono::nanoseconds kLeast = std::chrono::milliseconds(1);
  static constexpr std::size_t kKept = 10;    // of each minute
  static constexpr std::size_t kMinutes = 5;  // are kept

  using TimePoint = RequestTimes::TimePoint;

  // Returns whether a request that took `total` and ended `now` is one of the slowest of its minute so far.
  [[nodiscard]] bool takes(std::chrono::nanoseconds total, TimePoint now) const noexcept {
    if (total < kLeast) return false;
    return total.count() > least_ns_.load(base::relaxed) ||                           // relaxed: a hint
           now.time_since_epoch().count() >= minute_ends_at_ns_.load(base::relaxed);  // relaxed: a hint
  }
  // Adds a request that ended `now`. Throws std::bad_alloc.
  void add(SlowRequest request, TimePoint now);
  // Returns the slowest requests of the last five minutes, the slowest first: at most kKept.
  [[nodiscard]] std::vector<SlowRequest> slowest(TimePoint now) const;

 private:
  struct Minute {
    TimePoint ends_at;
    std::vector<SlowRequest> requests;  // the slowest first
  };

  mutable std::mutex mutex_;
  std::deque<Minute> minutes_;              // under mutex_; the last one is the present one
  base::Atomic<std::int64_t> least_ns_{0};  // a request that is not slower is not kept
  base::Atomic<std::int64_t> minute_ends_at_ns_{0};
};

}  // namespace volt::http::server
