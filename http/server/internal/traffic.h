// SPDX-License-Identifier: MIT

// Traffic: counts the requests of a server by route, method and status, with their durations, and the requests in
// progress. Counts the durations of their phases by route (http/server/internal/request_times.h).
//
// There is a series for each combination of route, method and status that has occurred. Clients cannot create any
// number of series: requests that match no route count as one route, and unknown methods count as one method. The
// phases are counted by route only: by method and status they would be four times as many series as the durations.
//
// Each worker has its own series and is their only writer, with plain stores; a snapshot adds them up. So a request
// takes no lock and shares no cache line.
//
// Threads: enter(), leave() and the functions record..() on a worker; all other members on any thread.
// Lifetime: outlives the connections that report to it.
//
// Edges
//   T1  a series, or the counters of phases, are complete before they are linked in  ->  a reader walks to them
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "http/message/method.h"
#include "http/server/internal/duration_buckets.h"
#include "http/server/internal/request_times.h"
#include "http/server/internal/slow_requests.h"
#include "runtime/base/atomic.h"
#include "runtime/base/counter.h"
#include "runtime/per_worker.h"

namespace volt::http::server {

struct TrafficSeries {
  std::uint32_t route = 0;       // index of the route; Traffic::no_route() if none matched
  std::optional<Method> method;  // empty: unknown, or the request head could not be read
  unsigned status = 0;           // 0: no response was sent, since the client had closed or the server stopped
  // buckets[i] counts the requests whose duration is at most kDurationBounds[i] and above the bound before it. The last
  // bucket counts the durations above all bounds.
  std::array<std::uint64_t, kDurationBoundCount + 1> buckets{};
  std::chrono::nanoseconds sum{0};

  [[nodiscard]] std::uint64_t count() const noexcept;
  void add(const TrafficSeries& other) noexcept;
};

struct PhaseHistogram {
  std::array<std::uint64_t, kDurationBoundCount + 1> buckets{};  // as in TrafficSeries
  std::chrono::nanoseconds sum{0};
};

// The phases of the requests of a route. Each request is counted in `queue`; in `handler` if its handler was called; in
// `receive` if it waited for its body; in `send` if its response was sent.
struct RoutePhases {
  std::uint32_t route = 0;
  std::array<PhaseHistogram, kPhaseCount> phases{};  // by Phase
};

struct TrafficSnapshot {
  std::vector<TrafficSeries> series;  // ordered by route, method and status; each combination once
  std::uint64_t active = 0;           // requests in progress
  std::vector<std::uint64_t> stalls;  // by route; the last element is for no_route()
  std::uint64_t other_stalls = 0;     // of no request, or of several, as far as the first report could tell
};

class Traffic {
 public:
  // Routes have the numbers 0 to routes - 1.
  Traffic(std::uint32_t routes, std::uint32_t workers);
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  SlowRequests slow_requests;

  // The number under which requests that matched no route are counted.
  [[nodiscard]] std::uint32_t no_route() const noexcept { return routes_; }

  // Mark the beginning and the end of a request. It may end on another worker than it began, so only the sum over all
  // workers is meaningful.
  void enter() noexcept { worker_series_.local().active.add(); }
  void leave() noexcept { worker_series_.local().active.subtract(); }
  // Counts a request that has ended. If there is no memory for a new series, the request is not counted.
  void record(std::uint32_t route, std::optional<Method> method, unsigned status,
              std::chrono::nanoseconds duration) noexcept;
  // Counts a request that has ended, with its phases until its response was ready, and calls leave(). `handled`: its
  // handler was called. Looks up the worker's counters once.
  void record_request(std::uint32_t route, Method method, unsigned status, const RequestPhases& phases,
                      bool handled) noexcept;
  // Counts a phase of `count` requests. Without memory it is not counted.
  void record_phase(std::uint32_t route, Phase phase, std::chrono::nanoseconds duration,
                    std::uint64_t count = 1) noexcept;

  // Counts that a handler of that route blocked its worker.
  void count_stall(std::uint32_t route) noexcept { stalls_[route].fetch_add(1, base::relaxed); }  // relaxed: a report
  // Counts a stall of a task that served no request at that time, or several pipelined ones.
  void count_other_stall() noexcept { other_stalls_.fetch_add(1, base::relaxed); }  // relaxed: a report

  // Returns what has been counted until now. Requests that end during the call may be counted or not.
  [[nodiscard]] TrafficSnapshot snapshot();
  // Returns the phases of the routes that have been requested, in their order, as snapshot() does.
  [[nodiscard]] std::vector<RoutePhases> phases();

 private:
  struct Series {
    const std::optional<Method> method;
    const unsigned status;
    Series* const next;  // next series of this route
    std::array<base::Counter, kDurationBoundCount + 1> buckets{};
    base::Counter sum_ns{};
  };
  using SeriesList = base::Atomic<Series*>;
  struct PhaseCounters {
    struct Histogram {
      std::array<base::Counter, kDurationBoundCount + 1> buckets{};
      base::Counter sum_ns;
    };
    void add(Phase phase, std::chrono::nanoseconds duration, std::uint64_t count = 1) noexcept {
      Histogram& histogram = phases[static_cast<std::size_t>(phase)];
      histogram.buckets[bucket_of(duration)].add(count);
      histogram.sum_ns.add(static_cast<std::uint64_t>(duration.count()) * count);
    }
    std::array<Histogram, kPhaseCount> phases;
  };

  struct WorkerSeries {
    std::unique_ptr<SeriesList[]> of_route;
    std::unique_ptr<base::Atomic<PhaseCounters*>[]> phases;  // by route; null: none yet
    base::Counter active;
  };

  static void count(WorkerSeries& own, std::uint32_t route, std::optional<Method> method, unsigned status,
                    std::chrono::nanoseconds duration) noexcept;
  // Returns the counters of a route; null without memory.
  [[nodiscard]] static PhaseCounters* phases_of(WorkerSeries& own, std::uint32_t route) noexcept;
  [[nodiscard]] static Series* find_or_add(SeriesList& list, std::optional<Method> method, unsigned status) noexcept;

  const std::uint32_t routes_;
  PerWorker<WorkerSeries> worker_series_;  // the constructor makes all of them, so enter() cannot fail
  std::unique_ptr<base::Atomic<std::uint64_t>[]> stalls_;
  base::Atomic<std::uint64_t> other_stalls_{0};
};

}  // namespace volt::http::server
