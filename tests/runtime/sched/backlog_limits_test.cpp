// SPDX-License-Identifier: MIT

#include "runtime/sched/backlog_limits.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/backlog_limits");

TEST_CASE("a backlog is worth a theft if its tasks take 30 us, and a wake-up if they take four wake-ups") {
  struct Case {
    const char* why;
    std::int64_t average_task_ns;
    std::int64_t wake_cost_ns;
    std::uint32_t worth_a_theft;
    std::uint32_t worth_a_wake;
  };
  const Case cases[] = {
      {"tasks of a nanosecond", 1, 5'000, 30'000, 20'000},
      {"small requests", 10'000, 5'000, 3, 2},
      {"30 us is no multiple of the duration", 7'000, 5'000, 5, 2},
      {"two tasks take 30 us", 15'000, 5'000, 2, 1},
      {"one task takes longer", 1'000'000, 5'000, 1, 1},
      {"a virtual machine", 10'000, 50'000, 3, 20},
      {"wake-ups cost nothing", 10'000, 0, 3, 1},
  };
  for (const auto& [why, average_task_ns, wake_cost_ns, worth_a_theft, worth_a_wake] : cases) {
    CAPTURE(why);
    BacklogLimits limits;
    limits.follow(average_task_ns, wake_cost_ns);
    CHECK_FALSE(limits.worth_a_theft(worth_a_theft - 1));
    CHECK(limits.worth_a_theft(worth_a_theft));
    CHECK_FALSE(limits.worth_a_wake(worth_a_wake - 1));
    CHECK(limits.worth_a_wake(worth_a_wake));
  }
}

TEST_CASE("before the first average, each task is worth a wake-up, and none a theft") {
  const BacklogLimits limits;
  CHECK_FALSE(limits.worth_a_wake(0));
  CHECK(limits.worth_a_wake(1));
  CHECK_FALSE(limits.worth_a_theft(1'000'000));
}

TEST_CASE("without thieves no backlog is worth anything, however long tasks take") {
  BacklogLimits limits;
  limits.exclude_thieves();
  for (int i = 0; i != 2; ++i) {
    CHECK_FALSE(limits.worth_a_wake(std::numeric_limits<std::uint32_t>::max() - 1));
    CHECK_FALSE(limits.worth_a_theft(std::numeric_limits<std::uint32_t>::max() - 1));
    limits.follow(1'000'000, 5'000);
  }
}

TEST_SUITE_END();

}  // namespace volt::sched
