// SPDX-License-Identifier: MIT

// Seeded faults: orderings of the production code that are weakened, one at a time. The explorer must find each.
#pragma once

#include <string>
#include <vector>

#include "tests/model/explorer/explorer.h"

namespace volt::model {

// Weakens every operation of that kind in the function.
struct Fault {
  const char* function;
  Operation operation;
  std::memory_order weaker;
};

// Returns the names of the faults that were not found, or did not occur at all. `met` is taken from an exploration of
// the body.
[[nodiscard]] std::vector<std::string> missed(const std::vector<Fault>& faults, unsigned threads, MakeBody make,
                                              const Options& options, const std::vector<Ordering>& met);

}  // namespace volt::model
