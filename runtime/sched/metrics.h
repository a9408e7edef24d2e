// SPDX-License-Identifier: MIT

// Metrics of the scheduler: for each worker the counts since the start, and some current values. A report is assembled
// while the workers run, so its values need not fit together exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace volt {

// A histogram of durations.
struct DelayCounts {
  // The upper bounds of the buckets. One more bucket follows, for the durations above all bounds.
  static constexpr std::array<std::int64_t, 21> kBoundsNs = [] {
    std::array<std::int64_t, 21> bounds{};
    std::int64_t decade_ns = 10'000;
    for (std::size_t i = 0; i != bounds.size(); i += 3) {
      bounds[i] = decade_ns;
      bounds[i + 1] = decade_ns * 5 / 2;
      bounds[i + 2] = decade_ns * 5;
      decade_ns *= 10;
    }
    return bounds;
  }();
  static constexpr std::size_t kBuckets = kBoundsNs.size() + 1;
  static_assert(kBoundsNs.back() == 50'000'000'000);

  std::array<std::uint64_t, kBuckets> buckets{};
  std::uint64_t sum_ns = 0;
};

struct WorkerMetrics {
  std::uint64_t polls = 0;                 // times a task was resumed
  std::uint64_t from_lifo = 0;             // tasks taken from the LIFO slot; part of polls
  std::uint64_t from_local = 0;            // tasks taken from the worker's own queue
  std::uint64_t from_pinned = 0;           // tasks taken from the worker's queue of pinned tasks
  std::uint64_t from_global = 0;           // tasks taken from the global queue
  std::uint64_t from_heavy = 0;            // tasks taken from the heavy queue (route().heavy())
  std::uint64_t stolen = 0;                // tasks taken from other workers
  std::vector<std::uint64_t> stolen_from;  // tasks taken from other workers, indexed by victim
  std::uint64_t forks_stolen = 0;          // parts of forks taken from other workers and run
  std::uint64_t steal_attempts = 0;        // victims examined
  std::uint64_t parks = 0;                 // times the worker went to sleep
  std::uint64_t wakes_sent = 0;            // times the worker woke another worker
  std::uint64_t wakes_wasted = 0;          // times the worker was woken to search and found no work
  std::uint64_t rescues = 0;               // times the worker took over the completions of a stuck worker
  std::uint64_t rescued_tasks = 0;         // tasks that these rescues made runnable
  std::uint64_t stalls = 0;                // times the watchdog found that a task computed or blocked for long
  std::uint64_t processor_time_ns = 0;     // time for which its thread has used a processor
  std::uint64_t run_delay_ns = 0;          // time for which its thread could run, but was not given a processor
  std::uint64_t migrated = 0;              // descriptors whose poll the worker took over from another worker
  std::uint64_t ring_enters = 0;           // system calls of its reactor
  std::uint64_t completions = 0;           // events that its reactor collected
  std::uint64_t ring_overflows = 0;        // times that the reactor's completion queue overflowed
  std::uint64_t queue_overflows = 0;       // tasks that waited behind the worker's full local queue
  std::uint64_t timers_fired = 0;
  std::uint64_t tasks_spawned = 0;
  std::uint64_t tasks_finished = 0;
  DelayCounts queue_delay;         // time from a task's wake, or spawn, until it runs; of one task in 64
  std::uint32_t queue_length = 0;  // current number of tasks in the run queue
  std::uint32_t descriptors = 0;   // current number of polls armed in the reactor
  bool parked = false;             // whether the worker currently sleeps
};

struct RuntimeMetrics {
  std::vector<WorkerMetrics> workers;
  std::vector<WorkerMetrics> spares;        // the spare workers that have ever been needed
  std::uint64_t spare_activations = 0;      // times a spare worker began to serve
  std::uint64_t spare_failures = 0;         // times a spare worker was needed and could not be started
  std::uint64_t spawned_outside = 0;        // tasks spawned by threads that are not workers
  std::uint64_t injected = 0;               // tasks made runnable through the global queue from outside the workers
  std::uint64_t global_queue_length = 0;    // current
  std::uint64_t heavy_queue_length = 0;     // current
  std::uint64_t live_tasks = 0;             // current
  std::uint64_t detached_failures = 0;      // detached tasks that an exception other than Cancelled has ended
  std::uint64_t blocking_threads = 0;       // current
  std::uint64_t blocking_queue_length = 0;  // current
  // Time for which the control groups of this process were stopped because their CPU quota was used up, added up over
  // processors; empty if they have none that counts it.
  std::optional<std::int64_t> throttled_ns;

  [[nodiscard]] WorkerMetrics total() const;
};

// Returns one log line with the totals, in the style of Go's schedtrace.
[[nodiscard]] std::string schedtrace_line(const RuntimeMetrics& metrics, std::int64_t uptime_ms);

}  // namespace volt
