// SPDX-License-Identifier: MIT

// PageTables: what the status page lists besides its snapshots: the last errors, the slowest requests, the pools,
// the job queues, and the phases of the requests of each route.
//
// Threads: one; the ops server has only one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "http/ops/internal/monitored_server.h"

namespace volt::http::ops {

// A line of the log of level error.
struct ErrorLine {
  double unix_seconds = 0;
  std::string module;
  std::string route;  // the pattern; empty: no request, or no route matched
  std::string request_id;
  std::string text;
};

// A request of the last five minutes.
struct SlowLine {
  double ended_seconds = 0;  // since the epoch
  std::string method;
  std::string route;    // the pattern; empty: no route
  unsigned status = 0;  // 0: no response was sent
  std::string outcome;
  // The phases, in seconds (http/server/internal/request_times.h).
  double queue = 0;
  double receive = 0;
  double handler = 0;
  double send = 0;
  std::string request_id;
  std::string trace_id;
};

// A pool of connections or threads. What is not known of it is missing.
struct PoolLine {
  std::string kind;  // of metrics with the names volt_KIND_connections; or "blocking"
  std::string name;
  double in_use = 0;
  std::optional<double> idle;
  std::optional<double> max;
  std::optional<double> waiting;  // tasks or calls that wait for a place
  std::optional<double> errors;   // since the start
};

// A queue of durable jobs, with metrics of the names volt_KIND_jobs_... (database/job_queue.h). A number is missing if
// this process does not count the jobs of the table, because it executes none.
struct JobQueueLine {
  std::string kind;
  std::string name;
  double running = 0;  // in this process
  std::optional<double> queued;
  std::optional<double> scheduled;
  std::optional<double> dead;
  std::optional<double> oldest_seconds;  // wait of the first queued job
  double failed = 0;                     // attempts of this process since its start, that were repeated or the last
};

// The 99th percentiles of the phases of a route's requests in the last ten seconds; 0 if there were none.
struct PhaseLine {
  std::uint32_t route = 0;  // index in /routes, or Traffic::no_route()
  double queue = 0;
  double receive = 0;
  double handler = 0;
  double send = 0;
};

struct PageTables {
  std::vector<ErrorLine> errors;  // the newest first
  std::vector<SlowLine> slow;     // the slowest first
  std::vector<PoolLine> pools;
  std::vector<JobQueueLine> job_queues;
  std::vector<PhaseLine> phases;
};

// Compares the phases of now with those of some calls before.
class PhaseWindow {
 public:
  explicit PhaseWindow(std::size_t calls) : calls_(calls) {}

  // Adds the counts of now. Returns the percentiles since `calls` calls ago.
  [[nodiscard]] std::vector<PhaseLine> add(std::vector<server::RoutePhases> now);

 private:
  const std::size_t calls_;
  std::deque<std::vector<server::RoutePhases>> recent_;
};

// Returns the pools that report metrics, and the blocking pool.
[[nodiscard]] std::vector<PoolLine> pools(const MonitoredServer& watched);

// Returns the job queues that report metrics.
[[nodiscard]] std::vector<JobQueueLine> job_queues(const MonitoredServer& watched);

[[nodiscard]] PageTables page_tables(const MonitoredServer& watched, PhaseWindow& window);

}  // namespace volt::http::ops
