// SPDX-License-Identifier: MIT

// PageSnapshot: the data that the status page draws. It is sent once a second. It contains current values, and
// counters, of which the page shows the differences.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http/ops/internal/monitored_server.h"

namespace volt::http::ops {

struct WorkerSnapshot {
  std::uint64_t polls = 0;
  std::uint64_t stolen = 0;
  std::vector<std::uint64_t> stolen_from;  // by victim worker
  std::uint64_t parks = 0;
  std::uint64_t stalls = 0;
  std::uint64_t rescues = 0;
  double cpu_seconds = 0;
  double run_delay_seconds = 0;  // time for which its thread waited for a processor
  std::array<std::uint64_t, DelayCounts::kBuckets> queue_delay{};
  std::uint32_t queue = 0;
  std::uint32_t descriptors = 0;
  bool parked = false;
};

// A route's counters, over all methods and statuses.
struct RouteSnapshot {
  std::uint32_t route = 0;  // index in /routes, or Traffic::no_route()
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;  // responses with a 5xx status
  std::uint64_t stalls = 0;
  std::array<std::uint64_t, server::kDurationBoundCount + 1> buckets{};  // durations, as in TrafficSeries
};

// Connections and requests that were refused or had to wait, by reason (server::OverloadReason).
struct RefusedSnapshot {
  std::uint64_t connections = 0;  // waited
  std::uint64_t client_connections = 0;
  std::uint64_t queue_delay = 0;
  std::uint64_t heavy_delay = 0;
  std::uint64_t memory = 0;

  // Returns the number of those that were refused.
  [[nodiscard]] std::uint64_t total() const noexcept { return client_connections + queue_delay + heavy_delay + memory; }
};

// Responses by the class of their status.
struct StatusSnapshot {
  std::uint64_t success = 0;  // 1xx and 2xx
  std::uint64_t redirection = 0;
  std::uint64_t client_error = 0;
  std::uint64_t server_error = 0;
  std::uint64_t none = 0;  // no response was sent: the client had closed, or the server stopped
};

struct PageSnapshot {
  std::string state;               // the text of Readiness::State
  std::vector<std::string> unmet;  // conditions of App::ready_when() that did not hold when last checked, with reasons
  double at_seconds = 0;           // time of a steady clock
  double unix_seconds = 0;         // since the epoch
  double up_seconds = 0;
  std::uint64_t connections = 0;
  std::uint64_t active = 0;
  RefusedSnapshot refused;
  StatusSnapshot statuses;
  std::uint64_t tasks = 0;
  std::uint64_t global_queue = 0;
  std::uint64_t blocking_threads = 0;
  std::uint64_t blocking_queue = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t descriptors_max = 0;
  double cpu_seconds = 0;
  std::optional<double> throttled_seconds;  // as RuntimeMetrics::throttled_ns
  std::vector<double> bounds;               // upper bounds of the buckets of routes, in seconds
  std::vector<double> queue_delay_bounds;   // upper bounds of the buckets of queue delays, in seconds
  std::vector<WorkerSnapshot> workers;
  std::vector<RouteSnapshot> routes;  // only routes with requests or stalls
};

[[nodiscard]] PageSnapshot snapshot(const MonitoredServer& watched);

}  // namespace volt::http::ops
