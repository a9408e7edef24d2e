// SPDX-License-Identifier: MIT

// ManualClockRuntime: a runtime of one worker and a manual clock. A test takes one step after the other: settle()
// returns when every task waits.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <utility>

#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt::test {

struct ManualClockRuntime {
  ManualClockRuntime() : runtime(options()) {}

  static RuntimeOptions options() {
    RuntimeOptions options = test_options(1);
    options.manual_clock = true;
    return options;
  }
  void settle() { runtime.advance_clock(std::chrono::nanoseconds(0)); }

  // Returns the result of a task, which must be done by now.
  template <class T>
  T result_of(JoinHandle<T> handle) {
    settle();
    REQUIRE(handle.done());
    return handle.task().take();
  }

  Runtime runtime;
};

}  // namespace volt::test
