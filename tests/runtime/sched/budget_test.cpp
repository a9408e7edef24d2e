// SPDX-License-Identifier: MIT

#include "runtime/sched/budget.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>

namespace volt::sched {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("runtime/sched/budget");

TEST_CASE("I/O gets a turn after a limited number of tasks, and after a limited time of tasks") {
  constexpr std::chrono::nanoseconds kTime = TickBudget::kTimeBeforeIo;
  std::uint32_t before = TickBudget::kPollsBeforeIo;
  for (const auto average : std::initializer_list<std::chrono::nanoseconds>{
           -5us, 0ns, 1ns, 500ns, 1us, 1639ns, 1640ns, 2us, 3us, 7us, 49us, 50us, 51us, 99us, 100us, 101us, 50ms, 1h}) {
    CAPTURE(average.count());
    const std::uint32_t polls = TickBudget::polls_before_io(average);
    CHECK(polls >= 1);
    CHECK(polls <= before);  // longer tasks: never more of them
    if (polls != 1) CHECK(polls * average <= kTime);
    if (polls != TickBudget::kPollsBeforeIo) CHECK((polls + 1) * average > kTime);
    before = polls;
  }
  CHECK(before == 1);
}

TEST_CASE("operations may be consumed together, up to all that are left") {
  OperationBudget budget;
  budget.consume(OperationBudget::kOperations - 1);
  CHECK(budget.left() == 1);
  budget.consume(8);
  CHECK(budget.left() == 0);
  CHECK(!budget.consume());
}

TEST_CASE("a task has a number of operations, and as many again after a reset") {
  OperationBudget budget;
  const std::uint32_t all = budget.left();
  CHECK(all > 1);
  for (int round = 0; round != 2; ++round) {
    for (std::uint32_t left = all; left != 0; --left) {
      CHECK(budget.left() == left);
      CHECK(budget.consume());
    }
    CHECK_FALSE(budget.consume());
    CHECK_FALSE(budget.consume());
    CHECK(budget.left() == 0);
    budget.reset();
  }
}

TEST_SUITE_END();

}  // namespace volt::sched
