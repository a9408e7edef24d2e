// Seeded faults: orderings of the production code that are weakened, one at a time, and must be found.
#pragma once

#include <string>
#include <vector>

#include "tests/model/explorer/explorer.h"

namespace volt::model {

// Of each operation of that kind in the function.
struct Fault {
  const char* function;
  Operation operation;
  std::memory_order weaker;
};

// The names of those that were not found, or not met at all. `met` as an exploration of the body reported it.
[[nodiscard]] std::vector<std::string> missed(const std::vector<Fault>& faults, unsigned threads, MakeBody make,
                                              const Options& options, const std::vector<Ordering>& met);

}  // namespace volt::model
