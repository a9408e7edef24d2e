// SPDX-License-Identifier: MIT

#include "runtime/options.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt {
TEST_SUITE_BEGIN("runtime/options");

TEST_CASE("a runtime cannot have more workers or spares than there can be") {
  const auto refusal = [](RuntimeOptions options) {
    try {
      const Runtime runtime(options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  RuntimeOptions options = test_options(RuntimeOptions::kWorkersMax + 1);
  CHECK(refusal(options) == "RuntimeOptions::workers is 1025; it must be from 0 to 1024");
  options = test_options(1);
  options.spare_workers_max = RuntimeOptions::kSpareWorkersMax + 1;
  CHECK(refusal(options) == "RuntimeOptions::spare_workers_max is 257; it must be from 0 to 256");
}

TEST_SUITE_END();
}  // namespace volt
