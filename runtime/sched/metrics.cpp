// SPDX-License-Identifier: MIT

#include "runtime/sched/metrics.h"

#include <algorithm>
#include <cstdio>

namespace volt {

WorkerMetrics RuntimeMetrics::total() const {
  WorkerMetrics sum;
  sum.stolen_from.resize(workers.size());
  const auto add = [&sum](const WorkerMetrics& worker) {
    sum.polls += worker.polls;
    sum.from_lifo += worker.from_lifo;
    sum.from_local += worker.from_local;
    sum.from_pinned += worker.from_pinned;
    sum.from_global += worker.from_global;
    sum.from_heavy += worker.from_heavy;
    sum.stolen += worker.stolen;
    for (std::size_t i = 0; i != worker.stolen_from.size(); ++i) sum.stolen_from[i] += worker.stolen_from[i];
    sum.forks_stolen += worker.forks_stolen;
    sum.steal_attempts += worker.steal_attempts;
    sum.parks += worker.parks;
    sum.wakes_sent += worker.wakes_sent;
    sum.wakes_wasted += worker.wakes_wasted;
    sum.rescues += worker.rescues;
    sum.rescued_tasks += worker.rescued_tasks;
    sum.stalls += worker.stalls;
    sum.processor_time_ns += worker.processor_time_ns;
    sum.run_delay_ns += worker.run_delay_ns;
    sum.migrated += worker.migrated;
    sum.ring_enters += worker.ring_enters;
    sum.completions += worker.completions;
    sum.ring_overflows += worker.ring_overflows;
    sum.queue_overflows += worker.queue_overflows;
    sum.timers_fired += worker.timers_fired;
    sum.tasks_spawned += worker.tasks_spawned;
    sum.tasks_finished += worker.tasks_finished;
    for (std::size_t i = 0; i != DelayCounts::kBuckets; ++i)
      sum.queue_delay.buckets[i] += worker.queue_delay.buckets[i];
    sum.queue_delay.sum_ns += worker.queue_delay.sum_ns;
    sum.queue_length += worker.queue_length;
    sum.descriptors += worker.descriptors;
  };
  std::ranges::for_each(workers, add);
  std::ranges::for_each(spares, add);
  return sum;
}

std::string schedtrace_line(const RuntimeMetrics& metrics, std::int64_t uptime_ms) {
  const WorkerMetrics sum = metrics.total();
  std::size_t parked = 0;
  std::string queues;
  for (const WorkerMetrics& worker : metrics.workers) {
    parked += worker.parked ? 1 : 0;
    queues += (queues.empty() ? "" : " ") + std::to_string(worker.queue_length);
  }
  char text[512];
  std::snprintf(
      text, sizeof text,
      "SCHED %lldms: workers=%zu parked=%zu tasks=%llu global=%llu polls=%llu lifo=%llu local=%llu "
      "stolen=%llu parks=%llu wakes=%llu wasted=%llu rescues=%llu stalls=%llu migrated=%llu enters=%llu events=%llu "
      "timers=%llu fds=%u [",
      static_cast<long long>(uptime_ms), metrics.workers.size(), parked,
      static_cast<unsigned long long>(metrics.live_tasks), static_cast<unsigned long long>(metrics.global_queue_length),
      static_cast<unsigned long long>(sum.polls), static_cast<unsigned long long>(sum.from_lifo),
      static_cast<unsigned long long>(sum.from_local), static_cast<unsigned long long>(sum.stolen),
      static_cast<unsigned long long>(sum.parks), static_cast<unsigned long long>(sum.wakes_sent),
      static_cast<unsigned long long>(sum.wakes_wasted), static_cast<unsigned long long>(sum.rescues),
      static_cast<unsigned long long>(sum.stalls), static_cast<unsigned long long>(sum.migrated),
      static_cast<unsigned long long>(sum.ring_enters), static_cast<unsigned long long>(sum.completions),
      static_cast<unsigned long long>(sum.timers_fired), sum.descriptors);
  return std::string(text) + queues + "]";
}

}  // namespace volt
