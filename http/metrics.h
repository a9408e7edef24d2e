// Metrics: how many requests an app has answered, how long each took, and how many are under way, by the names of
// OpenTelemetry's semantic conventions for HTTP (stable since 1.23), as text for Prometheus (exposition format 0.0.4).
//
//   http::Metrics metrics;
//   app.use(http::record_metrics(metrics));
//   app.get("/metrics", [metrics] { return metrics.to_response(); });
//
// Series are told apart by method, route pattern and status class, all of which are ours: clients cannot make more of
// them. A request that no route serves has the empty pattern; one that was cancelled (its client has gone, or the
// server stops) has the class 0.
//
// Threads: any; a Metrics is a handle, and its copies are the same counters. Each worker counts in a place of its own,
// under a lock that only a snapshot contends for. A snapshot adds them up: each series is whole, though not all of them
// are of the same moment.
// Cost: one coroutine frame a request, two looks at the clock, and nothing allocated once a series is there.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/method.h"
#include "http/middleware.h"
#include "http/response.h"

namespace volt::http {

namespace middleware {
class MetricsRegistry;
}

// http.server.request.duration; the bounds that the conventions advise, in seconds.
inline constexpr std::array kDurationBounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                               0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};

struct DurationSeries {
  Method method = Method::get;
  std::string pattern;
  unsigned status_class = 0;  // 2 for 2xx; 0: nothing was answered
  // Of each bound, those at most that long and longer than the bound before; then those longer than all.
  std::array<std::uint64_t, kDurationBounds.size() + 1> buckets{};
  std::chrono::nanoseconds sum{0};

  [[nodiscard]] std::uint64_t count() const noexcept;
};

struct MetricsSnapshot {
  std::vector<DurationSeries> durations;  // by pattern, method, class
  std::int64_t active_requests = 0;       // http.server.active_requests
};

class Metrics {
 public:
  Metrics();

  [[nodiscard]] MetricsSnapshot snapshot() const;
  [[nodiscard]] std::string to_prometheus() const;
  // The same, as Prometheus wants to be answered.
  [[nodiscard]] Response to_response() const;

 private:
  friend Middleware record_metrics(Metrics metrics);
  std::shared_ptr<middleware::MetricsRegistry> registry_;
};

// Counts the requests that pass. A duration is the time until the answer is composed; that of a streamed body is not in
// it. Wants to be outermost.
[[nodiscard]] Middleware record_metrics(Metrics metrics);

}  // namespace volt::http
