#include "http/ops/internal/metrics_text.h"

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "http/ops/internal/process_facts.h"
#include "http/ops/internal/prometheus_text.h"

namespace volt::http::ops {
namespace {

using server::TrafficSeries;
using server::TrafficSnapshot;

struct WorkerFamily {
  std::string_view name;
  std::string_view help;
  std::uint64_t WorkerMetrics::* value;
};

constexpr WorkerFamily kWorkerCounters[] = {
    {"volt_worker_polls_total", "Times that it resumed a task.", &WorkerMetrics::polls},
    {"volt_worker_polls_lifo_total", "Tasks that it took from its LIFO slot.", &WorkerMetrics::from_lifo},
    {"volt_worker_polls_local_total", "Tasks that it took from its own queue.", &WorkerMetrics::from_local},
    {"volt_worker_polls_pinned_total", "Tasks that it took and nobody else may.", &WorkerMetrics::from_pinned},
    {"volt_worker_polls_global_total", "Tasks that it took from the global queue.", &WorkerMetrics::from_global},
    {"volt_worker_stolen_tasks_total", "Tasks that it took from other workers.", &WorkerMetrics::stolen},
    {"volt_worker_stolen_forks_total", "Parts of forks that it took from other workers.", &WorkerMetrics::forks_stolen},
    {"volt_worker_steal_attempts_total", "Workers that it looked at for tasks.", &WorkerMetrics::steal_attempts},
    {"volt_worker_parks_total", "Times that it went to sleep.", &WorkerMetrics::parks},
    {"volt_worker_wakes_sent_total", "Times that it woke another worker.", &WorkerMetrics::wakes_sent},
    {"volt_worker_wakes_wasted_total", "Times that it was woken and found nothing.", &WorkerMetrics::wakes_wasted},
    {"volt_worker_rescues_total", "Times that it took over from a stuck worker.", &WorkerMetrics::rescues},
    {"volt_worker_rescued_tasks_total", "Tasks that this made runnable.", &WorkerMetrics::rescued_tasks},
    {"volt_worker_stalls_total", "Times that it was found stuck in one task.", &WorkerMetrics::stalls},
    {"volt_worker_migrated_descriptors_total", "Descriptors that it took over from others.", &WorkerMetrics::migrated},
    {"volt_worker_reactor_enters_total", "System calls of its reactor.", &WorkerMetrics::ring_enters},
    {"volt_worker_completions_total", "Events that its reactor collected.", &WorkerMetrics::completions},
    {"volt_worker_completion_overflows_total", "Overflows of its completion queue.", &WorkerMetrics::ring_overflows},
    {"volt_worker_queue_overflows_total", "Overflows of its own queue.", &WorkerMetrics::queue_overflows},
    {"volt_worker_timers_fired_total", "Timers that fired.", &WorkerMetrics::timers_fired},
    {"volt_worker_tasks_spawned_total", "Tasks that began on it.", &WorkerMetrics::tasks_spawned},
    {"volt_worker_tasks_finished_total", "Tasks that ended on it.", &WorkerMetrics::tasks_finished},
};

void add_durations(PrometheusText& text, const MonitoredServer& watched, const TrafficSnapshot& traffic) {
  text.family("http_server_request_duration_seconds", "histogram",
              "Time from a request's head to its answer; a streamed body is not in it.");
  for (const TrafficSeries& series : traffic.series) {
    const std::string route = watched.pattern(series.route);
    const std::string_view method = series.method ? to_string(*series.method) : "_OTHER";
    const std::string status = series.status == 0 ? std::string() : std::to_string(series.status);
    const std::string_view error = series.status == 0     ? "cancelled"
                                   : series.status >= 500 ? std::string_view(status)
                                                          : "";
    const auto sample = [&](std::string_view bound, auto value, std::string_view suffix) {
      text.sample({{"http_request_method", method},
                   {"http_route", route},
                   {"http_response_status_code", status},
                   {"error_type", error},
                   {"le", bound}},
                  value, suffix);
    };
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i != server::kDurationBounds.size(); ++i) {
      cumulative += series.buckets[i];
      sample(number_text(server::kDurationBounds[i]), cumulative, "_bucket");
    }
    cumulative += series.buckets.back();
    sample("+Inf", cumulative, "_bucket");
    sample("", std::chrono::duration<double>(series.sum).count(), "_sum");
    sample("", cumulative, "_count");
  }
}

void add_requests(PrometheusText& text, const MonitoredServer& watched) {
  const TrafficSnapshot traffic = watched.server_state->traffic()->snapshot();
  add_durations(text, watched, traffic);
  text.single("http_server_active_requests", "gauge", "Requests under way.", traffic.active);
  text.single("volt_connections", "gauge", "Open connections.", watched.server_state->connection_count());
  text.family("volt_route_stalls_total", "counter",
              "Times that a worker was found stuck in a request's task, by route.");
  for (std::uint32_t route = 0; route != traffic.stalls.size(); ++route) {
    const bool routed = route < watched.routes.size();
    const auto method = routed ? watched.routes[route].method : std::nullopt;
    text.sample({{"http_request_method", method ? to_string(*method) : ""}, {"http_route", watched.pattern(route)}},
                traffic.stalls[route]);
  }
}

void add_overload(PrometheusText& text, const server::Overload& overload) {
  text.family("volt_overload_total", "counter",
              "Connections that had to wait (connections) or were reset (client_connections), and requests that were "
              "refused (queue_delay, memory), each with the bound that made it so.");
  for (const server::OverloadReason reason : server::kOverloadReasons) {
    text.sample({{"reason", to_string(reason)}}, overload.noted(reason));
  }
  text.single("volt_connections_max", "gauge", "Connections that there may be; 0: any number.",
              overload.connections.max());
  text.single("volt_memory_used_bytes", "gauge", "Memory in use, as the bound on it counts; 0: it has none.",
              overload.memory.used_bytes());
  text.single("volt_memory_max_bytes", "gauge", "Of that, what may be; 0: there is no bound.",
              overload.memory.limit_bytes());
  text.single("volt_memory_low", "gauge", "1 if no bodies are taken any more, 2 if no requests are.",
              static_cast<unsigned>(overload.memory.state()));
}

void add_scheduler(PrometheusText& text, const RuntimeMetrics& metrics) {
  for (const WorkerFamily& family : kWorkerCounters) {
    text.family(family.name, "counter", family.help);
    for (std::size_t i = 0; i != metrics.workers.size(); ++i) {
      text.sample({{"worker", std::to_string(i)}}, metrics.workers[i].*family.value);
    }
  }
  const auto gauge = [&](std::string_view name, std::string_view help, auto value_of) {
    text.family(name, "gauge", help);
    for (std::size_t i = 0; i != metrics.workers.size(); ++i) {
      text.sample({{"worker", std::to_string(i)}}, value_of(metrics.workers[i]));
    }
  };
  gauge("volt_worker_queue_length", "Tasks in its queue.", [](const WorkerMetrics& it) { return it.queue_length; });
  gauge("volt_worker_descriptors", "Descriptors that its reactor watches.",
        [](const WorkerMetrics& it) { return it.descriptors; });
  gauge("volt_worker_parked", "1 if it sleeps.", [](const WorkerMetrics& it) { return it.parked ? 1 : 0; });
  text.single("volt_tasks", "gauge", "Tasks that have not ended.", metrics.live_tasks);
  text.single("volt_global_queue_length", "gauge", "Tasks in the queue of all workers.", metrics.global_queue_length);
  text.single("volt_blocking_threads", "gauge", "Threads of the blocking pool.", metrics.blocking_threads);
  text.single("volt_blocking_queue_length", "gauge", "Callables that wait for one.", metrics.blocking_queue_length);
}

void add_process(PrometheusText& text) {
  const ProcessFacts facts = process_facts();
  text.single("process_resident_memory_bytes", "gauge", "Resident memory.", facts.resident_bytes);
  text.single("process_virtual_memory_bytes", "gauge", "Virtual memory.", facts.virtual_bytes);
  text.single("process_open_fds", "gauge", "Open descriptors.", facts.open_descriptors);
  text.single("process_max_fds", "gauge", "Descriptors that may be open.", facts.descriptors_max);
  text.single("process_threads", "gauge", "Threads.", facts.threads);
  text.single("process_cpu_seconds_total", "counter", "Processor time, user and system.", facts.cpu_seconds);
  text.single("process_start_time_seconds", "gauge", "When it started, since the epoch.", facts.start_seconds);
}

}  // namespace

std::string metrics_text(const MonitoredServer& watched) {
  PrometheusText text;
  add_requests(text, watched);
  text.single("volt_ready", "gauge", "1 if /readyz says 200.", watched.state() == Readiness::State::ready ? 1 : 0);
  add_overload(text, watched.server_state->overload);
  add_scheduler(text, watched.runtime.metrics());
  add_process(text);
  return std::move(text).take();
}

}  // namespace volt::http::ops
