// SPDX-License-Identifier: MIT

#include "runtime/sched/work_class.h"

#include <doctest/doctest.h>

#include "runtime/task.h"

namespace volt::sched {
namespace {

using Weight = WorkClass::Weight;

Task<> one() { co_return; }
Task<> another() { co_await yield(); }

WorkClass class_of(Task<> task) {
  const auto coroutine = std::move(task).release();
  const WorkClass result = WorkClass::of(coroutine);
  coroutine.destroy();
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/work_class");

TEST_CASE("a class is heavy from its third long turn in a row until enough short ones have followed") {
  const WorkClass work = WorkClass::make(Weight::learned);
  work.found_short();
  CHECK_FALSE(work.has_score());
  work.found_long();
  work.found_long();
  CHECK(work.has_score());
  CHECK_FALSE(work.heavy());
  for (int i = 0; i != 100; ++i) work.found_long();
  for (int score = WorkClass::kScoreMax; score != WorkClass::kHeavyScore; --score) work.found_short();
  CHECK(work.heavy());
  work.found_short();
  CHECK_FALSE(work.heavy());
}

TEST_CASE("a class is heavy if more than one turn in nine is long, and light if fewer are") {
  const auto becomes_heavy = [](int turns_per_long_turn) {
    const WorkClass work = WorkClass::make(Weight::learned);
    bool was_heavy = false;
    for (int turn = 0; turn != 1000; ++turn) {
      turn % turns_per_long_turn == 0 ? work.found_long() : work.found_short();
      was_heavy = was_heavy || work.heavy();
    }
    return was_heavy;
  };
  CHECK(becomes_heavy(8));
  CHECK_FALSE(becomes_heavy(9));
}

TEST_CASE("a class of stated weight learns nothing") {
  const WorkClass light = WorkClass::make(Weight::light);
  light.found_long();
  CHECK_FALSE(light.heavy());
  const WorkClass heavy = WorkClass::make(Weight::heavy);
  for (int i = 0; i != 2 * WorkClass::kScoreMax; ++i) heavy.found_short();
  CHECK(heavy.heavy());
}

TEST_CASE("work without a class is light, and stays so") {
  WorkClass().found_long();
  CHECK_FALSE(WorkClass().heavy());
}

TEST_CASE("the class of urgent tasks is light, and stays so") {
  CHECK(WorkClass::urgent().is_urgent());
  CHECK(!WorkClass().is_urgent());
  for (int i = 0; i != 10; ++i) WorkClass::urgent().found_long();
  CHECK(!WorkClass::urgent().heavy());
}

TEST_CASE("two routes have classes of their own, and the tasks of one function share one") {
  CHECK(WorkClass::make(Weight::learned).index() != WorkClass::make(Weight::learned).index());
  CHECK(class_of(one()).index() == class_of(one()).index());
  CHECK(class_of(one()).index() != class_of(another()).index());  // their hashes could be equal, but are not
}

TEST_SUITE_END();

}  // namespace volt::sched
