// SPDX-License-Identifier: MIT

#include "tests/model/explorer/faults.h"

#include <cstring>

#include "tests/model/explorer/trace.h"

namespace volt::model {

std::vector<std::string> missed(const std::vector<Fault>& faults, unsigned threads, MakeBody make,
                                const Options& options, const std::vector<Ordering>& met) {
  std::vector<std::string> missed;
  for (const Fault& fault : faults) {
    unsigned seeded = 0;
    bool found = true;
    for (const Ordering& ordering : met) {
      if (ordering.operation != fault.operation || std::strcmp(ordering.site.function, fault.function) != 0) continue;
      ++seeded;
      Options weakened = options;
      weakened.weakening = Weakening{.ordering = ordering, .weaker = fault.weaker};
      found = found && !explore(threads, make, weakened).failure.empty();
    }
    if (seeded != 0 && found) continue;
    missed.push_back(std::string(fault.function) + ": " + name_of(fault.operation) + " as " + name_of(fault.weaker) +
                     (seeded == 0 ? ", not met" : ""));
  }
  return missed;
}

}  // namespace volt::model
