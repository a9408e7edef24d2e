// SPDX-License-Identifier: MIT

// StuckWorkers: the workers that may be stuck. Each search and each tick of a worker asks first whether there are any,
// and then looks only at these: the progress word of a worker changes in each of its turns, so reading it moves a cache
// line (docs/scaling.md).
//
// A worker is in the set if the watchdog's last sample found it stuck, or if its task has announced since that it
// blocks (block_in_place). A sample removes a worker that it did not find stuck, which may announce at the same moment.
// So it looks once more after the removal; otherwise the worker would wait for the next sample to be rescued.
//
// Threads: announce() belongs to the worker that it names, sampled() to the watchdog; any thread may call the rest.
//
// Edges
//   Y1  announce() of a worker  ->  sampled() removes it : the second look sees that its task blocks (worker_set.h, W1)
#pragma once

#include <cstdint>

#include "runtime/sched/worker_set.h"

namespace volt::sched {

class StuckWorkers {
 public:
  // `count` includes the spares.
  explicit StuckWorkers(std::uint32_t count) : workers_(count) {}

  void announce(std::uint32_t worker) noexcept { workers_.add(worker); }  // Y1

  // Notes the verdict of a sample on one worker. `blocks()` returns whether its task has announced that it blocks.
  template <class Blocks>
  void sampled(std::uint32_t worker, bool stuck, Blocks blocks) noexcept {
    if (workers_.contains(worker) == stuck) return;
    if (stuck) return workers_.add(worker);
    workers_.remove(worker);  // Y1
    if (blocks()) workers_.add(worker);
  }

  // Return hints.
  [[nodiscard]] bool any() const noexcept { return !workers_.empty(); }
  [[nodiscard]] bool contains(std::uint32_t worker) const noexcept { return workers_.contains(worker); }

 private:
  WorkerSet workers_;
};

}  // namespace volt::sched
