// SPDX-License-Identifier: MIT

#include "http/ops/internal/snapshot.h"

#include <chrono>

#include "http/ops/internal/process_facts.h"
#include "http/server/readiness_checks.h"

namespace volt::http::ops {
namespace {

double epoch_seconds(auto since_epoch) { return std::chrono::duration<double>(since_epoch).count(); }

double seconds_of(auto ns) { return static_cast<double>(ns) / 1e9; }

std::vector<WorkerSnapshot> worker_snapshots(const RuntimeMetrics& metrics) {
  std::vector<WorkerSnapshot> snapshots;
  for (const WorkerMetrics& worker : metrics.workers) {
    snapshots.push_back({.polls = worker.polls,
                         .stolen = worker.stolen,
                         .stolen_from = worker.stolen_from,
                         .parks = worker.parks,
                         .stalls = worker.stalls,
                         .rescues = worker.rescues,
                         .cpu_seconds = seconds_of(worker.processor_time_ns),
                         .run_delay_seconds = seconds_of(worker.run_delay_ns),
                         .queue_delay = worker.queue_delay.buckets,
                         .queue = worker.queue_length,
                         .descriptors = worker.descriptors,
                         .parked = worker.parked});
  }
  return snapshots;
}

std::vector<RouteSnapshot> route_snapshots(const server::TrafficSnapshot& traffic) {
  std::vector<RouteSnapshot> snapshots(traffic.stalls.size());
  for (std::uint32_t route = 0; route != snapshots.size(); ++route) {
    snapshots[route].route = route;
    snapshots[route].stalls = traffic.stalls[route];
  }
  for (const server::TrafficSeries& series : traffic.series) {
    RouteSnapshot& snapshot = snapshots[series.route];
    snapshot.requests += series.count();
    if (series.status >= 500) snapshot.failed += series.count();
    for (std::size_t i = 0; i != series.buckets.size(); ++i) snapshot.buckets[i] += series.buckets[i];
  }
  std::erase_if(snapshots,
                [](const RouteSnapshot& snapshot) { return snapshot.requests == 0 && snapshot.stalls == 0; });
  return snapshots;
}

std::vector<std::string> unmet_conditions(const server::ReadinessChecks& checks) {
  std::vector<std::string> unmet;
  for (const auto& check : checks) {
    const std::string reason = check->last_result().value_or(std::string());
    if (!reason.empty()) unmet.push_back(check->name() + ": " + reason);
  }
  return unmet;
}

RefusedSnapshot refused_snapshot(const server::Overload& overload) {
  using enum server::OverloadReason;
  return {.connections = overload.noted(connections),
          .client_connections = overload.noted(client_connections),
          .queue_delay = overload.noted(queue_delay),
          .heavy_delay = overload.noted(heavy_delay),
          .memory = overload.noted(memory)};
}

StatusSnapshot status_snapshot(const server::TrafficSnapshot& traffic) {
  StatusSnapshot statuses;
  for (const server::TrafficSeries& series : traffic.series) {
    std::uint64_t& count = series.status == 0    ? statuses.none
                           : series.status < 300 ? statuses.success
                           : series.status < 400 ? statuses.redirection
                           : series.status < 500 ? statuses.client_error
                                                 : statuses.server_error;
    count += series.count();
  }
  return statuses;
}

}  // namespace

PageSnapshot snapshot(const MonitoredServer& watched) {
  const RuntimeMetrics runtime = watched.runtime.metrics();
  const server::TrafficSnapshot traffic = watched.server_state->traffic()->snapshot();
  const ProcessFacts process = process_facts();
  PageSnapshot now;
  now.state = to_string(watched.state());
  now.unmet = unmet_conditions(watched.server_state->readiness);
  now.at_seconds = epoch_seconds(std::chrono::steady_clock::now().time_since_epoch());
  now.unix_seconds = epoch_seconds(std::chrono::system_clock::now().time_since_epoch());
  now.up_seconds = now.unix_seconds - process.start_seconds;
  now.connections = watched.server_state->connection_count();
  now.active = traffic.active;
  now.refused = refused_snapshot(watched.server_state->overload);
  now.statuses = status_snapshot(traffic);
  now.tasks = runtime.live_tasks;
  now.global_queue = runtime.global_queue_length;
  now.blocking_threads = runtime.blocking_threads;
  now.blocking_queue = runtime.blocking_queue_length;
  now.resident_bytes = process.resident_bytes;
  now.open_descriptors = process.open_descriptors;
  now.descriptors_max = process.descriptors_max;
  now.cpu_seconds = process.cpu_seconds;
  for (std::size_t i = 0; i != server::kDurationBoundCount; ++i) now.bounds.push_back(server::bound_seconds(i));
  for (const std::int64_t bound_ns : DelayCounts::kBoundsNs) now.queue_delay_bounds.push_back(seconds_of(bound_ns));
  if (runtime.throttled_ns) now.throttled_seconds = seconds_of(*runtime.throttled_ns);
  now.workers = worker_snapshots(runtime);
  now.routes = route_snapshots(traffic);
  return now;
}

}  // namespace volt::http::ops
