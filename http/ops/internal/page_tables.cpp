// SPDX-License-Identifier: MIT

#include "http/ops/internal/page_tables.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>

#include "http/metrics/collector.h"
#include "http/ops/internal/percentile.h"
#include "http/ops/internal/seconds.h"
#include "runtime/log.h"
#include "runtime/recent_errors.h"

namespace volt::http::ops {
namespace {

using metrics::Collector;

std::vector<ErrorLine> error_lines(const MonitoredServer& watched) {
  std::vector<ErrorLine> lines;
  for (LoggedError& error : watched.runtime.log().recent_errors().list()) {
    lines.push_back({.unix_seconds = seconds(error.time.time_since_epoch()),
                     .module = std::move(error.module),
                     .route = std::move(error.pattern),
                     .request_id = std::move(error.request_id),
                     .text = std::move(error.text)});
  }
  return lines;
}

std::vector<SlowLine> slow_lines(const MonitoredServer& watched) {
  std::vector<SlowLine> lines;
  const auto now = std::chrono::steady_clock::now();
  for (server::SlowRequest& request : watched.server_state->traffic()->slow_requests.slowest(now)) {
    lines.push_back({.ended_seconds = seconds(request.ended.time_since_epoch()),
                     .method = std::string(to_string(request.method)),
                     .route = watched.pattern(request.route),
                     .status = request.status,
                     .outcome = std::string(to_string(request.outcome)),
                     .queue = seconds(request.phases.queue),
                     .receive = seconds(request.phases.receive),
                     .handler = seconds(request.phases.handler),
                     .send = seconds(request.phases.send),
                     .request_id = std::move(request.id),
                     .trace_id = std::move(request.trace_id)});
  }
  return lines;
}

// The value of a label, and the values of the other labels, which name the pool.
std::pair<std::string, std::string> split_labels(const Collector::LabelValues& labels, std::string_view wanted) {
  std::pair<std::string, std::string> found;
  for (const auto& [name, value] : labels) {
    std::string& into = name == wanted ? found.first : found.second;
    into.append(into.empty() ? "" : " ").append(value);
  }
  return found;
}

// Adds up a family by pool.
std::map<std::string, double> sums_of(const Collector& collector, const std::string& family) {
  std::map<std::string, double> sums;
  const auto found = collector.families().find(family);
  if (found == collector.families().end()) return sums;
  for (const auto& [labels, sample] : found->second.samples)
    sums[split_labels(labels, "reason").second] += sample.value;
  return sums;
}

std::optional<double> value_in(const std::map<std::string, double>& sums, const std::string& pool) {
  const auto found = sums.find(pool);
  return found == sums.end() ? std::nullopt : std::optional(found->second);
}

// Returns the kind in a name of the form volt_KIND_END; nothing for other names.
std::optional<std::string> kind_of(std::string_view family, std::string_view end) {
  constexpr std::string_view kBegin = "volt_";
  if (!family.starts_with(kBegin) || !family.ends_with(end) || family.size() <= kBegin.size() + end.size()) return {};
  return std::string(family.substr(kBegin.size(), family.size() - kBegin.size() - end.size()));
}

// A pool of connections has metrics with the names volt_KIND_connections, which has the label `state`, and, as far as
// they apply, volt_KIND_connections_max, volt_KIND_waiting_tasks and volt_KIND_errors_total.
void add_connection_pools(const Collector& collector, std::string_view family, std::vector<PoolLine>& lines) {
  const std::optional<std::string> kind = kind_of(family, "_connections");
  if (!kind) return;
  std::map<std::string, PoolLine> found;
  for (const auto& [labels, sample] : collector.families().find(family)->second.samples) {
    const auto [state, pool] = split_labels(labels, "state");
    PoolLine& line = found[pool];
    if (state == "idle") {
      line.idle = sample.value;
    } else {
      line.in_use += sample.value;
    }
  }
  const std::string prefix = "volt_" + *kind;
  const auto max = sums_of(collector, prefix + "_connections_max");
  const auto waiting = sums_of(collector, prefix + "_waiting_tasks");
  const auto errors = sums_of(collector, prefix + "_errors_total");
  for (auto& [pool, line] : found) {
    line.kind = *kind;
    line.name = pool;
    line.max = value_in(max, pool);
    line.waiting = value_in(waiting, pool);
    line.errors = value_in(errors, pool);
    lines.push_back(std::move(line));
  }
}

// Returns the values of a family whose samples have the labels `queue` and `label`, for one queue, by `label`.
std::map<std::string, double> values_of_queue(const Collector& collector, const std::string& family,
                                              std::string_view label, const std::string& queue) {
  std::map<std::string, double> values;
  const auto found = collector.families().find(family);
  if (found == collector.families().end()) return values;
  for (const auto& [labels, sample] : found->second.samples) {
    const auto [value, name] = split_labels(labels, label);
    if (name == queue) values[value] = sample.value;
  }
  return values;
}

void add_job_queues(const Collector& collector, std::string_view family, std::vector<JobQueueLine>& lines) {
  const std::optional<std::string> kind = kind_of(family, "_jobs_running");
  if (!kind) return;
  const std::string jobs = "volt_" + *kind + "_jobs";
  for (const auto& [labels, sample] : collector.families().find(family)->second.samples) {
    JobQueueLine line{.kind = *kind, .name = split_labels(labels, "").second, .running = sample.value};
    const auto states = values_of_queue(collector, jobs, "state", line.name);
    line.queued = value_in(states, "queued");
    line.scheduled = value_in(states, "scheduled");
    line.dead = value_in(states, "dead");
    line.oldest_seconds = value_in(values_of_queue(collector, jobs + "_oldest_seconds", "", line.name), "");
    const auto results = values_of_queue(collector, jobs + "_total", "result", line.name);
    line.failed = value_in(results, "failed").value_or(0) + value_in(results, "dead").value_or(0);
    lines.push_back(std::move(line));
  }
}

}  // namespace

std::vector<PhaseLine> PhaseWindow::add(std::vector<server::RoutePhases> now) {
  if (recent_.size() > calls_) recent_.pop_front();
  std::map<std::uint32_t, const server::RoutePhases*> before;
  if (!recent_.empty()) {
    for (const server::RoutePhases& phases : recent_.front()) before[phases.route] = &phases;
  }
  std::vector<PhaseLine> lines;
  for (const server::RoutePhases& phases : now) {
    const auto then = before.find(phases.route);
    const auto p99 = [&](server::Phase phase) {
      const auto i = static_cast<std::size_t>(phase);
      DurationCounts counts = phases.phases[i].buckets;
      for (std::size_t b = 0; then != before.end() && b != counts.size(); ++b) {
        counts[b] -= then->second->phases[i].buckets[b];
      }
      return percentile_seconds(counts, 0.99);
    };
    lines.push_back({.route = phases.route,
                     .queue = p99(server::Phase::queue),
                     .receive = p99(server::Phase::receive),
                     .handler = p99(server::Phase::handler),
                     .send = p99(server::Phase::send)});
  }
  recent_.push_back(std::move(now));
  return lines;
}

std::vector<PoolLine> pools(const MonitoredServer& watched) {
  std::vector<PoolLine> lines;
  const Collector collector(watched.server_state->service.metrics());
  for (const auto& [name, family] : collector.families()) add_connection_pools(collector, name, lines);
  const RuntimeMetrics runtime = watched.runtime.metrics();
  lines.push_back({.kind = "blocking",
                   .name = "threads",
                   .in_use = static_cast<double>(runtime.blocking_threads),
                   .idle = {},
                   .max = {},
                   .waiting = static_cast<double>(runtime.blocking_queue_length),
                   .errors = {}});
  return lines;
}

std::vector<JobQueueLine> job_queues(const MonitoredServer& watched) {
  std::vector<JobQueueLine> lines;
  const Collector collector(watched.server_state->service.metrics());
  for (const auto& [name, family] : collector.families()) add_job_queues(collector, name, lines);
  return lines;
}

PageTables page_tables(const MonitoredServer& watched, PhaseWindow& window) {
  return {.errors = error_lines(watched),
          .slow = slow_lines(watched),
          .pools = pools(watched),
          .job_queues = job_queues(watched),
          .phases = window.add(watched.server_state->traffic()->phases())};
}

}  // namespace volt::http::ops
