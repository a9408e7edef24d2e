// The pathologies: shapes of load that schedulers are known to be bad at. Each measures itself once, in about a second
// at scale 1, and says by what it is to be judged; the runtime's counters are the caller's business.
// Called from a thread that is none of the runtime's workers.
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

// Work to be done by all workers, shared or not.
Outcome one_source(volt::Runtime& runtime, double scale);
Outcome fast_producer(volt::Runtime& runtime, double scale);
Outcome tiny_tasks(volt::Runtime& runtime, double scale);
Outcome one_lock(volt::Runtime& runtime, double scale);
Outcome pinned(volt::Runtime& runtime, double scale);
Outcome one_victim(volt::Runtime& runtime, double scale);

// Turns that somebody gets, or waits for.
Outcome slow_poll(volt::Runtime& runtime, double scale);
Outcome lifo_pair(volt::Runtime& runtime, double scale);
Outcome always_ready(volt::Runtime& runtime, double scale);

[[nodiscard]] inline std::size_t scaled(std::size_t count, double scale) {
  const auto result = static_cast<std::size_t>(static_cast<double>(count) * scale);
  return result == 0 ? 1 : result;
}

// Keeps its thread busy.
inline void burn(std::chrono::nanoseconds duration) {
  const std::int64_t end_ns = volt::sched::now_ns() + duration.count();
  while (volt::sched::now_ns() < end_ns) {
  }
}

}  // namespace pathologies
