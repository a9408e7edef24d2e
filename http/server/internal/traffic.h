// Traffic: what a server has answered, how long that took, and how many requests are under way.
//
// A series for each route, method and status that has occurred: clients cannot make more of them, as what no route
// serves is one route, and methods are those of the registry. Durations fall into the buckets that OpenTelemetry's
// conventions for HTTP advise.
//
// Each worker has its own series and is their only writer, with plain stores; a snapshot adds them up. So a request
// takes no lock and shares no cache line.
//
// Threads: enter(), leave() and record() on a worker; the rest on any thread.
//
// Edges
//   T1  a series is linked in when it is whole  ->  a reader walks to it
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "http/message/method.h"
#include "runtime/base/atomic.h"
#include "runtime/per_worker.h"

namespace volt::http::server {

// In seconds.
inline constexpr std::array kDurationBounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                               0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};

struct TrafficSeries {
  std::uint32_t route = 0;       // its number; how many routes there are: no route
  std::optional<Method> method;  // none: not one that we know, or the head could not be read
  unsigned status = 0;           // 0: nothing was answered, as the client had gone or the server stopped
  // Of each bound, those at most that long and longer than the bound before; then those longer than all.
  std::array<std::uint64_t, kDurationBounds.size() + 1> buckets{};
  std::chrono::nanoseconds sum{0};

  [[nodiscard]] std::uint64_t count() const noexcept;
  void add(const TrafficSeries& other) noexcept;
};

struct TrafficSnapshot {
  std::vector<TrafficSeries> series;  // by route, method, status; each once
  std::uint64_t active = 0;           // requests under way
  std::vector<std::uint64_t> stalls;  // by route; last: those of no route
};

class Traffic {
 public:
  Traffic(std::uint32_t routes, std::uint32_t workers);
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  [[nodiscard]] std::uint32_t no_route() const noexcept { return routes_; }

  // A request comes, and goes: perhaps on another worker, so only their sum means anything.
  void enter() noexcept { worker_series_.local().active.add(1); }
  void leave() noexcept { worker_series_.local().active.add(~std::uint64_t{0}); }
  // It has been answered. Where there is no memory for a new series it is not counted.
  void record(std::uint32_t route, std::optional<Method> method, unsigned status,
              std::chrono::nanoseconds duration) noexcept;

  void count_stall(std::uint32_t route) noexcept { stalls_[route].fetch_add(1, base::relaxed); }  // relaxed: a report

  [[nodiscard]] TrafficSnapshot snapshot();

 private:
  // Written by one worker, read by anybody.
  class Counter {
   public:
    void add(std::uint64_t by) noexcept {
      value_.store(value_.load(base::relaxed) + by, base::relaxed);  // relaxed: one writer; readers only report
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(base::relaxed); }  // relaxed: a report

   private:
    base::Atomic<std::uint64_t> value_{0};
  };

  struct Series {
    const std::optional<Method> method;
    const unsigned status;
    Series* const next;  // of the same route
    std::array<Counter, kDurationBounds.size() + 1> buckets{};
    Counter sum_ns{};
  };
  using SeriesList = base::Atomic<Series*>;

  struct WorkerSeries {
    std::unique_ptr<SeriesList[]> of_route;
    Counter active;
  };

  [[nodiscard]] static Series* find_or_add(SeriesList& list, std::optional<Method> method, unsigned status) noexcept;

  const std::uint32_t routes_;
  PerWorker<WorkerSeries> worker_series_;
  std::unique_ptr<base::Atomic<std::uint64_t>[]> stalls_;
};

}  // namespace volt::http::server
