// PageSnapshot: what the page draws, once a second: counters, of which it shows the differences, and what is now.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "http/ops/internal/monitored_server.h"

namespace volt::http::ops {

struct WorkerSnapshot {
  std::uint64_t polls = 0;
  std::uint64_t stolen = 0;
  std::vector<std::uint64_t> stolen_from;  // by victim
  std::uint64_t parks = 0;
  std::uint64_t stalls = 0;
  std::uint64_t rescues = 0;
  std::uint32_t queue = 0;
  std::uint32_t descriptors = 0;
  bool parked = false;
};

// All methods and statuses together.
struct RouteSnapshot {
  std::uint32_t route = 0;  // its place in /routes; how many there are: no route
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;  // answered with 5xx
  std::uint64_t stalls = 0;
  std::array<std::uint64_t, server::kDurationBounds.size() + 1> buckets{};  // as in TrafficSeries
};

struct PageSnapshot {
  std::string state;      // of Readiness
  double at_seconds = 0;  // of a clock that only goes forward
  double up_seconds = 0;
  std::uint64_t connections = 0;
  std::uint64_t active = 0;
  std::uint64_t refused = 0;  // connections and requests, for overload
  std::uint64_t tasks = 0;
  std::uint64_t global_queue = 0;
  std::uint64_t blocking_threads = 0;
  std::uint64_t blocking_queue = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_descriptors = 0;
  double cpu_seconds = 0;
  std::vector<double> bounds;  // of the buckets
  std::vector<WorkerSnapshot> workers;
  std::vector<RouteSnapshot> routes;  // those with requests or stalls
};

[[nodiscard]] PageSnapshot snapshot(const MonitoredServer& watched);

}  // namespace volt::http::ops
