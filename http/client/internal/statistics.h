// SPDX-License-Identifier: MIT

// Statistics: what an HttpClient reports on /metrics.
//
// Threads: any. Lifetime: shared by the client's pool and its connections.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"

namespace volt::http::client {

class Authorities;

enum class FailureReason : std::uint8_t {
  connect,            // no connection was made: name lookup, connect, handshake, or their timeout
  timeout,            // no response's head in time
  response,           // the connection was lost before the response's head, or the head was malformed
  circuit_open,       // not sent: the circuit is open
  concurrency_limit,  // not sent: too many requests are in progress
};
inline constexpr std::array<std::string_view, 5> kFailureReasons = {"connect", "timeout", "response", "circuit_open",
                                                                    "concurrency_limit"};

class Statistics {
 public:
  using Count = base::Atomic<std::uint64_t>;

  explicit Statistics(std::string name) : name_(std::move(name)) {}

  Count requests{0};
  Count retries{0};
  Count hedges{0};      // second copies of requests
  Count won_hedges{0};  // second copies whose good response was returned
  Count opened_circuits{0};
  Count exhausted_budgets{0};  // retries and hedges that were not made because the budget was exhausted
  Count open{0};               // current number of connections
  Count connecting{0};         // current number of attempts to connect
  DurationHistogram connect_times;

  void count_failure(FailureReason reason) noexcept {
    failures_[static_cast<std::size_t>(reason)].fetch_add(1, base::relaxed);  // relaxed: a report
  }

  // `idle`: the connections that wait in the pool for a request. `authorities`: for the states of their circuits.
  void report(MetricSink& sink, std::size_t idle, const Authorities& authorities) const;

 private:
  const std::string name_;
  std::array<Count, kFailureReasons.size()> failures_{};
};

// Adds one to a current number while it exists.
class Counted {
 public:
  explicit Counted(Statistics::Count& count) noexcept : count_(count) {
    count_.fetch_add(1, base::relaxed);  // relaxed: a report
  }
  ~Counted() {
    count_.fetch_sub(1, base::relaxed);  // relaxed: a report
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  Statistics::Count& count_;
};

}  // namespace volt::http::client
