// The counters of one worker. Only the worker writes them, with plain stores; any thread may read them.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/sched/metrics.h"

namespace volt::sched {

class Counter {
 public:
  void add(std::uint64_t by = 1) noexcept {
    value_.store(value_.load(base::relaxed) + by, base::relaxed);  // relaxed: one writer; readers only report
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(base::relaxed); }  // relaxed: a report

 private:
  base::Atomic<std::uint64_t> value_{0};
};

struct alignas(base::kNoSharingBytes) WorkerCounters {
  explicit WorkerCounters(std::uint32_t workers) : stolen_from(std::make_unique<Counter[]>(workers)) {}

  Counter polls, from_lifo, from_local, from_pinned, from_global, stolen, steal_attempts, parks, wakes_sent,
      wakes_wasted, rescues, rescued_tasks, migrated, queue_overflows, timers_fired, tasks_spawned, tasks_finished;
  std::unique_ptr<Counter[]> stolen_from;  // indexed by victim
};

}  // namespace volt::sched
