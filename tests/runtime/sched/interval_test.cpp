// SPDX-License-Identifier: MIT

#include "runtime/sched/interval.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>

namespace volt::sched {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("runtime/sched/interval");

TEST_CASE("the interval is the number of tasks in a millisecond, within bounds") {
  struct Case {
    const char* why;
    std::chrono::nanoseconds task;
    std::uint32_t ticks;
  };
  const Case cases[] = {
      {"a clock that stands still causes no division by zero", 0ns, 255},
      {"tiny tasks: the upper bound", 100ns, 255},
      {"5 us: 200 in a millisecond", 5us, 200},
      {"20 us: 50 in a millisecond", 20us, 50},
      {"long tasks: the lower bound", 2ms, 8},
      {"an hour", 1h, 8},
  };
  for (const auto& [why, task, ticks] : cases) {
    CAPTURE(why);
    GlobalInterval interval;
    for (int i = 0; i != 20; ++i) interval.record(100, 100 * task);
    CHECK(interval.ticks() == doctest::Approx(ticks).epsilon(0.01));
    CHECK(interval.average_task() <= task + 1us);
    CHECK(interval.average_task() >= task - task / 100);
  }
}

TEST_CASE("the average is taken over tasks, not over records") {
  GlobalInterval at_once;
  GlobalInterval one_by_one;
  at_once.record(10, 10 * 50us);
  for (int i = 0; i != 10; ++i) one_by_one.record(1, 50us);
  CHECK(at_once.average_task().count() == doctest::Approx(one_by_one.average_task().count()).epsilon(0.001));

  GlobalInterval interval;
  interval.record(128, 128 * 2us);
  interval.record(1, 10ms);
  CHECK(interval.average_task() > 1000us);  // a tenth of it
  interval.record(128, 128 * 2us);
  CHECK(interval.average_task() < 5us);
}

TEST_CASE("an empty record, or one of a clock that went backwards, does no harm") {
  GlobalInterval interval;
  const auto before = interval.average_task();
  interval.record(0, 5ms);
  CHECK(interval.average_task() == before);
  interval.record(10, -5ms);
  CHECK(interval.average_task() < before);
  CHECK(interval.average_task() >= 0ns);
}

TEST_SUITE_END();

}  // namespace volt::sched
