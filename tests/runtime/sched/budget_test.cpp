// SPDX-License-Identifier: MIT

#include "runtime/sched/budget.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>

namespace volt::sched {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("runtime/sched/budget");

TEST_CASE("I/O gets a turn after 61 tasks or about 100 us of tasks") {
  struct Case {
    const char* why;
    std::chrono::nanoseconds average_task;
    std::uint32_t polls;
  };
  const Case cases[] = {
      {"unmeasurably short tasks", 0ns, 61},
      {"a clock that went backwards", -5us, 61},
      {"short tasks: the count is the limit", 1us, 61},
      {"the largest average at which the count is the limit", 1639ns, 61},
      {"the time is the limit", 2us, 50},
      {"two tasks fill the time", 50us, 2},
      {"one task fills the time", 100us, 1},
      {"one task exceeds the time", 50ms, 1},
      {"very long tasks", 1h, 1},
  };
  for (const auto& [why, average_task, polls] : cases) {
    CAPTURE(why);
    CHECK(TickBudget::polls_before_io(average_task) == polls);
  }
}

TEST_CASE("a task has 128 operations, and 128 again after a reset") {
  OperationBudget budget;
  for (int round = 0; round != 2; ++round) {
    CHECK(budget.left() == 128);
    for (int i = 0; i != 128; ++i) CHECK(budget.consume());
    CHECK_FALSE(budget.consume());
    CHECK_FALSE(budget.consume());
    CHECK(budget.left() == 0);
    budget.reset();
  }
}

TEST_SUITE_END();

}  // namespace volt::sched
