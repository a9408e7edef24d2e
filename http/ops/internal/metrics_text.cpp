// SPDX-License-Identifier: MIT

#include "http/ops/internal/metrics_text.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "http/ops/internal/collected_metrics.h"
#include "http/ops/internal/process_facts.h"
#include "http/ops/internal/prometheus_text.h"
#include "http/ops/internal/seconds.h"
#include "tracing/tracer.h"

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
    {"volt_worker_polls_total", "Task resumptions by the worker.", &WorkerMetrics::polls},
    {"volt_worker_polls_lifo_total", "Tasks that the worker took from its LIFO slot.", &WorkerMetrics::from_lifo},
    {"volt_worker_polls_local_total", "Tasks that the worker took from its own queue.", &WorkerMetrics::from_local},
    {"volt_worker_polls_pinned_total", "Tasks that the worker took from its pinned queue.",
     &WorkerMetrics::from_pinned},
    {"volt_worker_polls_global_total", "Tasks that the worker took from the global queue.",
     &WorkerMetrics::from_global},
    {"volt_worker_polls_heavy_total", "Tasks that the worker took from the heavy queue.", &WorkerMetrics::from_heavy},
    {"volt_worker_stolen_tasks_total", "Tasks that the worker stole from other workers.", &WorkerMetrics::stolen},
    {"volt_worker_stolen_forks_total", "Fork jobs that the worker stole from other workers.",
     &WorkerMetrics::forks_stolen},
    {"volt_worker_steal_attempts_total", "Other workers' queues that the worker checked for tasks to steal.",
     &WorkerMetrics::steal_attempts},
    {"volt_worker_parks_total", "Times that the worker parked.", &WorkerMetrics::parks},
    {"volt_worker_wakes_sent_total", "Times that the worker woke another worker.", &WorkerMetrics::wakes_sent},
    {"volt_worker_wakes_wasted_total", "Times that the worker was woken and found no task.",
     &WorkerMetrics::wakes_wasted},
    {"volt_worker_rescues_total", "Times that the worker collected the events of a stalled worker.",
     &WorkerMetrics::rescues},
    {"volt_worker_rescued_tasks_total",
     "Tasks that became runnable when the worker collected the events of a stalled worker.",
     &WorkerMetrics::rescued_tasks},
    {"volt_worker_stalls_total",
     "Times that the watchdog found that a task computed or was blocked on the worker for long.",
     &WorkerMetrics::stalls},
    {"volt_worker_migrated_descriptors_total", "Descriptors that the worker took over from other workers.",
     &WorkerMetrics::migrated},
    {"volt_worker_reactor_enters_total", "System calls of the worker's reactor.", &WorkerMetrics::ring_enters},
    {"volt_worker_completions_total", "Events that the worker's reactor collected.", &WorkerMetrics::completions},
    {"volt_worker_completion_overflows_total", "Overflows of the worker's completion queue.",
     &WorkerMetrics::ring_overflows},
    {"volt_worker_queue_overflows_total", "Tasks that waited behind the worker's full queue.",
     &WorkerMetrics::queue_overflows},
    {"volt_worker_timers_fired_total", "Timers that fired on the worker.", &WorkerMetrics::timers_fired},
    {"volt_worker_tasks_spawned_total", "Tasks that were spawned on the worker.", &WorkerMetrics::tasks_spawned},
    {"volt_worker_tasks_finished_total", "Tasks that finished on the worker.", &WorkerMetrics::tasks_finished},
};

void add_durations(PrometheusText& text, const MonitoredServer& watched, const TrafficSnapshot& traffic) {
  text.family("http_server_request_duration_seconds", "histogram",
              "Time from the arrival of a request's head until its response was ready to be sent, in seconds; excludes "
              "streamed bodies.");
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
    for (std::size_t i = 0; i != server::kDurationBoundCount; ++i) {
      cumulative += series.buckets[i];
      if (server::is_exported_bound(i)) sample(number_text(server::bound_seconds(i)), cumulative, "_bucket");
    }
    cumulative += series.buckets.back();
    sample("+Inf", cumulative, "_bucket");
    sample("", std::chrono::duration<double>(series.sum).count(), "_sum");
    sample("", cumulative, "_count");
  }
}

constexpr std::string_view kPhaseNames[] = {"queue", "receive", "handler", "send"};  // by server::Phase
static_assert(std::size(kPhaseNames) == server::kPhaseCount);

void add_phases(PrometheusText& text, const MonitoredServer& watched) {
  text.family(
      "volt_request_phase_seconds", "histogram",
      "Time of a request in a phase, in seconds: queue, until its handler began; receive, while it waited for its "
      "body; handler, until its response was ready; send, until the kernel had taken the response.");
  for (const server::RoutePhases& route : watched.server_state->traffic()->phases()) {
    const std::string pattern = watched.pattern(route.route);
    const auto method = route.route < watched.routes.size() ? watched.routes[route.route].method : std::nullopt;
    for (std::size_t phase = 0; phase != server::kPhaseCount; ++phase) {
      const server::PhaseHistogram& histogram = route.phases[phase];
      std::uint64_t cumulative = 0;
      const auto sample = [&](std::string_view bound, auto value, std::string_view suffix) {
        text.sample({{"http_request_method", method ? to_string(*method) : ""},
                     {"http_route", pattern},
                     {"phase", kPhaseNames[phase]},
                     {"le", bound}},
                    value, suffix);
      };
      if (std::ranges::all_of(histogram.buckets, [](std::uint64_t count) { return count == 0; })) continue;
      for (std::size_t i = 0; i != server::kDurationBoundCount; ++i) {
        cumulative += histogram.buckets[i];
        if (server::is_exported_bound(i)) sample(number_text(server::bound_seconds(i)), cumulative, "_bucket");
      }
      cumulative += histogram.buckets.back();
      sample("+Inf", cumulative, "_bucket");
      sample("", std::chrono::duration<double>(histogram.sum).count(), "_sum");
      sample("", cumulative, "_count");
    }
  }
}

void add_requests(PrometheusText& text, const MonitoredServer& watched) {
  const TrafficSnapshot traffic = watched.server_state->traffic()->snapshot();
  add_durations(text, watched, traffic);
  add_phases(text, watched);
  text.single("http_server_active_requests", "gauge", "Requests in progress.", traffic.active);
  text.single("volt_connections", "gauge", "Open connections.", watched.server_state->connection_count());
  text.family("volt_route_stalls_total", "counter",
              "Times that the watchdog found that a handler computed or was blocked for long, by route.");
  for (std::uint32_t route = 0; route != traffic.stalls.size(); ++route) {
    const bool routed = route < watched.routes.size();
    const auto method = routed ? watched.routes[route].method : std::nullopt;
    text.sample({{"http_request_method", method ? to_string(*method) : ""}, {"http_route", watched.pattern(route)}},
                traffic.stalls[route]);
  }
  text.single("volt_other_stalls_total", "counter",
              "Times that the watchdog found that a task computed or was blocked for long that served no request, or "
              "several pipelined ones.",
              traffic.other_stalls);
}

void add_overload(PrometheusText& text, const server::Overload& overload) {
  text.family("volt_overload_total", "counter",
              "Connections that waited (reason connections) or were reset (client_connections), and requests that were "
              "refused (queue_delay, heavy_delay, memory).");
  for (const server::OverloadReason reason : server::kOverloadReasons) {
    text.sample({{"reason", to_string(reason)}}, overload.noted(reason));
  }
  text.single("volt_connections_max", "gauge", "Maximum number of connections; 0 if unlimited.",
              overload.connections_max);
  text.single("volt_memory_used_bytes", "gauge",
              "Memory in use in bytes, as counted for the memory limit; 0 if unlimited.", overload.memory.used_bytes());
  text.single("volt_memory_max_bytes", "gauge", "Memory limit in bytes; 0 if unlimited.",
              overload.memory.limit_bytes());
  text.single("volt_memory_low", "gauge",
              "0 if memory suffices, 1 if requests with a body are refused, 2 if all requests are refused.",
              static_cast<unsigned>(overload.memory.state()));
}

// Calls `function` with the label and the metrics of each worker and each spare worker.
template <class F>
void for_each_worker(const RuntimeMetrics& metrics, F function) {
  for (std::size_t i = 0; i != metrics.workers.size(); ++i) function(std::to_string(i), metrics.workers[i]);
  for (std::size_t i = 0; i != metrics.spares.size(); ++i) function("spare-" + std::to_string(i), metrics.spares[i]);
}

void add_queue_delay(PrometheusText& text, const RuntimeMetrics& metrics) {
  text.family("volt_worker_queue_delay_seconds", "histogram",
              "Time from the wake or spawn of a task until the worker ran it, in seconds; of one task in 64.");
  for_each_worker(metrics, [&](const std::string& name, const WorkerMetrics& worker) {
    const DelayCounts& delay = worker.queue_delay;
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i != DelayCounts::kBoundsNs.size(); ++i) {
      cumulative += delay.buckets[i];
      const double bound = static_cast<double>(DelayCounts::kBoundsNs[i]) / 1e9;
      text.sample({{"worker", name}, {"le", number_text(bound)}}, cumulative, "_bucket");
    }
    cumulative += delay.buckets.back();
    text.sample({{"worker", name}, {"le", "+Inf"}}, cumulative, "_bucket");
    text.sample({{"worker", name}}, seconds(delay.sum_ns), "_sum");
    text.sample({{"worker", name}}, cumulative, "_count");
  });
}

// The times of the workers' threads, as the kernel counts them.
void add_worker_times(PrometheusText& text, const RuntimeMetrics& metrics) {
  const auto family = [&](std::string_view name, std::string_view help, std::uint64_t WorkerMetrics::* value_ns) {
    text.family(name, "counter", help);
    for_each_worker(metrics, [&](const std::string& worker_name, const WorkerMetrics& worker) {
      text.sample({{"worker", worker_name}}, seconds(worker.*value_ns));
    });
  };
  family("volt_worker_cpu_seconds_total", "CPU time of the worker's thread in seconds.",
         &WorkerMetrics::processor_time_ns);
  family("volt_worker_run_delay_seconds_total",
         "Time for which the worker's thread could run, but was not given a processor, in seconds.",
         &WorkerMetrics::run_delay_ns);
  if (metrics.throttled_ns) {
    text.single("volt_process_throttled_seconds_total", "counter",
                "Time for which the control groups of the process were stopped by their CPU quota, added up over "
                "processors, in seconds.",
                seconds(static_cast<std::uint64_t>(*metrics.throttled_ns)));
  }
}

void add_scheduler(PrometheusText& text, const RuntimeMetrics& metrics) {
  for (const WorkerFamily& family : kWorkerCounters) {
    text.family(family.name, "counter", family.help);
    for_each_worker(metrics, [&](const std::string& name, const WorkerMetrics& worker) {
      text.sample({{"worker", name}}, worker.*family.value);
    });
  }
  add_worker_times(text, metrics);
  add_queue_delay(text, metrics);
  const auto gauge = [&](std::string_view name, std::string_view help, auto value_of) {
    text.family(name, "gauge", help);
    for_each_worker(metrics, [&](const std::string& worker_name, const WorkerMetrics& worker) {
      text.sample({{"worker", worker_name}}, value_of(worker));
    });
  };
  gauge("volt_worker_queue_length", "Tasks in the worker's queue.",
        [](const WorkerMetrics& it) { return it.queue_length; });
  gauge("volt_worker_descriptors", "Descriptors that the worker's reactor watches.",
        [](const WorkerMetrics& it) { return it.descriptors; });
  gauge("volt_worker_parked", "1 if the worker is parked.", [](const WorkerMetrics& it) { return it.parked ? 1 : 0; });
  text.single("volt_spare_worker_activations_total", "counter",
              "Times that a spare worker began to run requests because all workers were stuck.",
              metrics.spare_activations);
  text.single("volt_spare_worker_failures_total", "counter",
              "Times that a spare worker was needed and could not be started.", metrics.spare_failures);
  text.single("volt_tasks", "gauge", "Live tasks.", metrics.live_tasks);
  text.single("volt_detached_task_failures_total", "counter",
              "Detached tasks that an exception other than a cancellation has ended.", metrics.detached_failures);
  text.single("volt_global_queue_length", "gauge", "Tasks in the global queue.", metrics.global_queue_length);
  text.single("volt_heavy_queue_length", "gauge", "Tasks in the heavy queue.", metrics.heavy_queue_length);
  text.single("volt_blocking_threads", "gauge", "Threads of the blocking pool.", metrics.blocking_threads);
  text.single("volt_blocking_queue_length", "gauge", "Callables that wait for a thread of the blocking pool.",
              metrics.blocking_queue_length);
}

// Of the tracer in the app's state, if there is one.
void add_traces(PrometheusText& text, const MonitoredServer& watched) {
  const auto* const tracer = watched.server_state->service.state().find<std::shared_ptr<tracing::Tracer>>();
  if (tracer == nullptr || *tracer == nullptr) return;
  const tracing::TracerState state = (*tracer)->state();
  text.single("volt_trace_spans_recorded_total", "counter", "Spans that were recorded and have ended.", state.recorded);
  text.single("volt_trace_spans_exported_total", "counter", "Spans that a collector has accepted.", state.exported);
  text.single("volt_trace_spans_dropped_total", "counter",
              "Spans that were lost because the queue was full, or because the collector did not accept them.",
              state.dropped);
  text.single("volt_trace_spans_waiting", "gauge", "Spans that wait for the exporter.", state.waiting);
}

void add_process(PrometheusText& text) {
  const ProcessFacts facts = process_facts();
  text.single("process_resident_memory_bytes", "gauge", "Resident memory in bytes.", facts.resident_bytes);
  text.single("process_virtual_memory_bytes", "gauge", "Virtual memory in bytes.", facts.virtual_bytes);
  text.single("process_open_fds", "gauge", "Open file descriptors.", facts.open_descriptors);
  text.single("process_max_fds", "gauge", "Maximum number of open file descriptors.", facts.descriptors_max);
  text.single("process_threads", "gauge", "Threads of the process.", facts.threads);
  text.single("process_cpu_seconds_total", "counter", "CPU time in seconds, user and system.", facts.cpu_seconds);
  text.single("process_start_time_seconds", "gauge", "Start time of the process in seconds since the epoch.",
              facts.start_seconds);
}

}  // namespace

std::string metrics_text(const MonitoredServer& watched) {
  PrometheusText text;
  add_requests(text, watched);
  add_readiness(text, watched);
  add_overload(text, watched.server_state->overload);
  add_scheduler(text, watched.runtime.metrics());
  add_traces(text, watched);
  add_process(text);
  add_collected(text, watched.server_state->service.metrics());
  return std::move(text).take();
}

}  // namespace volt::http::ops
