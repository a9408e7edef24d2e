// SPDX-License-Identifier: MIT

// Checks for the tests of bodies: everything within the bound was explored, nothing failed, and seeded faults are
// found.
//
// Every build uses the quick bounds; VOLT_MODEL=full (`./dev test --model`) selects the full ones.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tests/model/explorer/explorer.h"
#include "tests/model/explorer/faults.h"

namespace volt::model {

struct Bounds {
  unsigned quick;
  unsigned full;
  unsigned faults;  // bound within which the seeded faults are searched
};

[[nodiscard]] inline bool full() {
  const char* model = std::getenv("VOLT_MODEL");
  return model != nullptr && std::string_view(model) == "full";
}

// Explores the body, first without a fault and then with each of `faults`.
template <class Model>
void check_body(const Bounds& bounds, const std::vector<Fault>& faults) {
  const unsigned deviations = full() ? bounds.full : bounds.quick;
  const Report report = explore<Model>({.deviations = deviations});
  MESSAGE(deviations << " deviations: " << report.executions << " executions, " << report.operations << " operations, "
                     << report.seconds << " s");
  INFO(report.trace);
  REQUIRE(report.failure == "");
  REQUIRE(report.complete);

  const MakeBody make = []() -> Body* { return new Model; };
  for (const std::string& fault :
       missed(faults, Model::kThreads, make, {.deviations = bounds.faults}, report.orderings)) {
    FAIL_CHECK("not found: ", fault);
  }
}

// Checks that the exploration of a body with a fault left in fails.
template <class Faulty>
void check_found(unsigned deviations) {
  const Report report = explore<Faulty>({.deviations = deviations});
  CAPTURE(std::string(typeid(Faulty).name()));
  CHECK(report.failure != "");
}

}  // namespace volt::model
