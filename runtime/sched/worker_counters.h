// SPDX-License-Identifier: MIT

// WorkerCounters: what one worker has done since it started.
//
// Threads: written by the worker alone, read by any thread (runtime/base/counter.h).
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/cache_line.h"
#include "runtime/base/counter.h"
#include "runtime/sched/delay_histogram.h"

namespace volt::sched {

struct alignas(base::kNoSharingBytes) WorkerCounters {
  explicit WorkerCounters(std::uint32_t workers) : stolen_from(std::make_unique<base::Counter[]>(workers)) {}

  // The meaning of each counter is in WorkerMetrics (runtime/sched/metrics.h).
  base::Counter polls, from_lifo, from_local, from_pinned, from_global, from_heavy, stolen, steal_attempts, parks,
      wakes_sent, wakes_wasted, rescues, rescued_tasks, migrated, queue_overflows, timers_fired, tasks_spawned,
      tasks_finished;
  std::unique_ptr<base::Counter[]> stolen_from;  // by victim
  DelayHistogram queue_delay;
};

}  // namespace volt::sched
