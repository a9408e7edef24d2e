// SPDX-License-Identifier: MIT

// Explorer: runs a body in every possible interleaving of its threads, up to a bound.
//
// Threads are fibers of one thread. Before each atomic operation the explorer decides which thread continues; before
// each load, how old a value it returns (memory.h). It tries all decisions depth first, each execution from its start,
// with a bounded number of *deviations*. A deviation is a preemption, that is, a switch away from a thread that could
// have continued, or a load of another value than the newest. (Most faults need one or two preemptions: "Iterative
// Context Bounding", Musuvathi and Qadeer, PLDI 2007. A thread that waits or ends costs nothing, and then any thread
// that can run may continue.)
//
// Two executions that differ only in the order of independent operations lead to the same state: a state is a function
// of everything that every thread has observed and of the order of stores to each atomic. A state that was reached
// before, with the same running thread and with no more deviations, is not explored again.
//
// A failure is a required fact that does not hold, a VOLT_CHECK, a race on plain memory, an access to deleted memory, a
// deadlock, or an endless execution. Executions are repeatable: a failing one is run again to record its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/body.h"
#include "tests/model/explorer/site.h"

namespace volt::model {

struct Options {
  unsigned deviations = 3;
  std::uint64_t executions_max = 100'000'000;
  std::optional<Weakening> weakening;
};

struct Report {
  bool complete = false;  // true if everything within the bound was explored
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  std::uint64_t operations = 0;
  double seconds = 0;   // processor time
  std::string failure;  // empty if nothing failed
  std::string trace;
  std::vector<Ordering> orderings;  // every ordering stronger than relaxed that occurred
};

using MakeBody = Body* (*)();
[[nodiscard]] Report explore(unsigned threads, MakeBody make, const Options& options);

// Explores `Model`, which is a Body with a constant kThreads.
template <class Model>
[[nodiscard]] Report explore(const Options& options = {}) {
  return explore(Model::kThreads, []() -> Body* { return new Model; }, options);
}

}  // namespace volt::model
