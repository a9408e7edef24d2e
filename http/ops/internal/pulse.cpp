#include "http/ops/internal/pulse.h"

#include <chrono>

#include "http/ops/internal/process_facts.h"

namespace volt::http::ops {
namespace {

double seconds(auto since_epoch) { return std::chrono::duration<double>(since_epoch).count(); }

std::vector<WorkerPulse> worker_pulses(const RuntimeMetrics& metrics) {
  std::vector<WorkerPulse> pulses;
  for (const WorkerMetrics& worker : metrics.workers) {
    pulses.push_back({.polls = worker.polls,
                      .stolen = worker.stolen,
                      .stolen_from = worker.stolen_from,
                      .parks = worker.parks,
                      .stalls = worker.stalls,
                      .rescues = worker.rescues,
                      .queue = worker.queue_length,
                      .descriptors = worker.descriptors,
                      .parked = worker.parked});
  }
  return pulses;
}

std::vector<RoutePulse> route_pulses(const server::TrafficSnapshot& traffic) {
  std::vector<RoutePulse> pulses(traffic.stalls.size());
  for (std::uint32_t route = 0; route != pulses.size(); ++route) {
    pulses[route].route = route;
    pulses[route].stalls = traffic.stalls[route];
  }
  for (const server::TrafficSeries& series : traffic.series) {
    RoutePulse& pulse = pulses[series.route];
    pulse.requests += series.count();
    if (series.status >= 500) pulse.failed += series.count();
    for (std::size_t i = 0; i != series.buckets.size(); ++i) pulse.buckets[i] += series.buckets[i];
  }
  std::erase_if(pulses, [](const RoutePulse& pulse) { return pulse.requests == 0 && pulse.stalls == 0; });
  return pulses;
}

}  // namespace

Pulse pulse(const Watched& watched) {
  const RuntimeMetrics runtime = watched.runtime.metrics();
  const server::TrafficSnapshot traffic = watched.site->traffic()->snapshot();
  const ProcessFacts process = process_facts();
  Pulse now;
  now.state = to_string(watched.state());
  now.at_seconds = seconds(std::chrono::steady_clock::now().time_since_epoch());
  now.up_seconds = seconds(std::chrono::system_clock::now().time_since_epoch()) - process.start_seconds;
  now.connections = watched.site->connection_count();
  now.active = traffic.active;
  for (const server::Strain strain : server::kStrains) {
    if (strain != server::Strain::connections) now.refused += watched.site->overload.noted(strain);
  }
  now.tasks = runtime.live_tasks;
  now.global_queue = runtime.global_queue_length;
  now.blocking_threads = runtime.blocking_threads;
  now.blocking_queue = runtime.blocking_queue_length;
  now.resident_bytes = process.resident_bytes;
  now.open_descriptors = process.open_descriptors;
  now.cpu_seconds = process.cpu_seconds;
  now.bounds.assign(server::kDurationBounds.begin(), server::kDurationBounds.end());
  now.workers = worker_pulses(runtime);
  now.routes = route_pulses(traffic);
  return now;
}

}  // namespace volt::http::ops
