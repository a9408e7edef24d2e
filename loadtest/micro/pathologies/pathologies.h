// SPDX-License-Identifier: MIT

// The pathologies: loads that are known to be difficult for schedulers. Each function runs one load, for about a second
// at scale 1, and returns the figures by which to judge it. The caller reads the runtime's counters.
// Threads: called from a thread that is not a worker of the runtime.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/sched/clock.h"

namespace pathologies {

struct Figure {
  std::string name;
  double value = 0;
};
using Outcome = std::vector<Figure>;

// Work that begins on one worker: is it shared with the others?
Outcome one_source(volt::Runtime& runtime, double scale);
Outcome fast_producer(volt::Runtime& runtime, double scale);
Outcome tiny_tasks(volt::Runtime& runtime, double scale);
Outcome one_lock(volt::Runtime& runtime, double scale);
Outcome pinned(volt::Runtime& runtime, double scale);
Outcome one_victim(volt::Runtime& runtime, double scale);

// A task that takes more than its turn: how long do the others wait?
Outcome slow_poll(volt::Runtime& runtime, double scale);
Outcome lifo_pair(volt::Runtime& runtime, double scale);
Outcome always_ready(volt::Runtime& runtime, double scale);

[[nodiscard]] inline std::size_t scaled(std::size_t count, double scale) {
  const auto result = static_cast<std::size_t>(static_cast<double>(count) * scale);
  return result == 0 ? 1 : result;
}

// Keeps the calling thread busy.
inline void burn(std::chrono::nanoseconds duration) {
  const std::int64_t end_ns = volt::sched::now_ns() + duration.count();
  while (volt::sched::now_ns() < end_ns) {
  }
}

}  // namespace pathologies
