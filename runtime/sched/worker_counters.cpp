// SPDX-License-Identifier: MIT

#include "runtime/sched/worker_counters.h"

#include <algorithm>
#include <cstdint>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/thread_state.h"
#include "runtime/sched/worker.h"

namespace volt::sched {

std::int64_t Worker::sample_queue_delay(TaskHeader& task) noexcept {
  wakes_until_sample_ = kWakesPerSample;
  task.queue_delay_sampled = true;
  return clock_.now_ns();
}

void Worker::note_queue_delay(TaskHeader& task) noexcept {
  task.queue_delay_sampled = false;
  const std::int64_t queued_at_ns = task.turn_at_ns.load(base::relaxed);  // relaxed: it came through a queue
  counters_.queue_delay.add(std::max<std::int64_t>(0, clock_.now_ns() - queued_at_ns));
}

WorkerMetrics Worker::metrics() const {
  WorkerMetrics metrics;
  metrics.polls = counters_.polls.value();
  metrics.from_lifo = counters_.from_lifo.value();
  metrics.from_local = counters_.from_local.value();
  metrics.from_pinned = counters_.from_pinned.value();
  metrics.from_global = counters_.from_global.value();
  metrics.from_heavy = counters_.from_heavy.value();
  metrics.stolen = counters_.stolen.value();
  for (std::uint32_t i = 0; i != scheduler_.worker_count(); ++i) {
    metrics.stolen_from.push_back(counters_.stolen_from[i].value());
  }
  metrics.forks_stolen = forks_.stolen();
  metrics.steal_attempts = counters_.steal_attempts.value();
  metrics.parks = counters_.parks.value();
  metrics.wakes_sent = counters_.wakes_sent.value();
  metrics.wakes_wasted = counters_.wakes_wasted.value();
  metrics.rescues = counters_.rescues.value();
  metrics.rescued_tasks = counters_.rescued_tasks.value();
  metrics.stalls = stalls_.value();
  metrics.processor_time_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, processor_time_ns(thread())));
  metrics.run_delay_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(0, run_delay_ns(thread())));
  metrics.migrated = counters_.migrated.value();
  metrics.ring_enters = reactor_->counters().enters.value();
  metrics.completions = reactor_->counters().events.value();
  metrics.ring_overflows = reactor_->counters().overflows.value();
  metrics.queue_overflows = counters_.queue_overflows.value();
  metrics.timers_fired = counters_.timers_fired.value();
  metrics.tasks_spawned = counters_.tasks_spawned.value();
  metrics.tasks_finished = counters_.tasks_finished.value();
  metrics.queue_delay = counters_.queue_delay.counts();
  metrics.queue_length = queue_.size();
  metrics.descriptors = reactor_->armed();
  return metrics;
}

}  // namespace volt::sched
