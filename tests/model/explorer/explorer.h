// The explorer: runs a body in every way that its threads can meet, up to a bound.
//
// Threads are fibers of one thread. Before each atomic operation the explorer decides who goes on; before each load, how
// old a value it returns (memory.h). It tries all decisions depth first, each execution from its start, with at most so
// many *deviations*: a preemption, which is a turn taken from a thread that could have gone on, or a load of another
// value than the newest. (Most faults need one or two preemptions: "Iterative Context Bounding", Musuvathi and Qadeer,
// PLDI 2007. That a thread waits or ends costs nothing, and whoever can may go on.)
//
// Two executions that differ only in the order of operations that do not meet lead to the same state: each is a function
// of what every thread has observed and of the order of stores to each atomic. A state that was met before, by the same
// running thread and with no more deviations, is not explored again.
//
// A failure is a fact that was required and does not hold, a VOLT_CHECK, a race for plain memory, a look at what was
// deleted, a deadlock, or no end. Executions are repeatable: a failing one is run again to write down its trace.
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
  bool complete = false;  // everything within the bound was explored
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  std::uint64_t operations = 0;
  double seconds = 0;   // of processor time
  std::string failure;  // empty: none
  std::string trace;
  std::vector<Ordering> orderings;  // every ordering stronger than relaxed that was met
};

using MakeBody = Body* (*)();
[[nodiscard]] Report explore(unsigned threads, MakeBody make, const Options& options);

// `Model` is a Body with kThreads.
template <class Model>
[[nodiscard]] Report explore(const Options& options = {}) {
  return explore(Model::kThreads, []() -> Body* { return new Model; }, options);
}

}  // namespace volt::model
