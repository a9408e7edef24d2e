// SPDX-License-Identifier: MIT

#include "runtime/once_cell.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

struct Made {
  OnceCell<std::string> cell;
  int begun = 0;
};
using MadeRef = Borrowed<Made>;

// Creates the value after a second, or fails at that time.
Task<std::string> ask(MadeRef made, std::string value, bool fails) {
  auto make = [&]() -> Task<std::string> {
    ++made.get().begun;
    co_await sleep_for(1s);
    if (fails) throw std::runtime_error(value);
    co_return value;
  };
  co_return co_await made.get().cell.get_or_init(make);
}

struct Counted {
  OnceCell<std::uint64_t> cell;
  base::Atomic<std::uint64_t> made{0};
};

Task<std::uint64_t> ask_counted(Borrowed<Counted> counted) {
  auto make = [&]() -> Task<std::uint64_t> {
    co_await yield();
    co_return counted.get().made.fetch_add(1, base::relaxed);  // relaxed: a count
  };
  co_return co_await counted.get().cell.get_or_init(make);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/once_cell");

TEST_CASE("the first requesting task creates the value, once; other tasks wait for it") {
  Made made;
  ManualClockRuntime bench;
  CHECK(made.cell.get() == nullptr);
  auto first = bench.runtime.spawn(ask, borrow(made), std::string("first"), false);
  auto second = bench.runtime.spawn(ask, borrow(made), std::string("second"), false);
  bench.settle();
  CHECK((!first.done() && !second.done()));
  CHECK(!made.cell.set("meanwhile"));
  bench.runtime.advance_clock(1s);
  CHECK(bench.result_of(std::move(first)) == "first");
  CHECK(bench.result_of(std::move(second)) == "first");
  CHECK(bench.result_of(bench.runtime.spawn(ask, borrow(made), std::string("late"), false)) == "first");
  CHECK(made.begun == 1);
  REQUIRE(made.cell.get() != nullptr);
  CHECK(*made.cell.get() == "first");
}

TEST_CASE("set() sets the value before any request, once") {
  Made made;
  ManualClockRuntime bench;
  CHECK(made.cell.set("set"));
  std::string again = "again";
  CHECK(!made.cell.set(std::move(again)));
  CHECK(again == "again");
  CHECK(bench.result_of(bench.runtime.spawn(ask, borrow(made), std::string("made"), false)) == "set");
  CHECK(made.begun == 0);
}

TEST_CASE("if a creation fails or is cancelled, the next waiting task creates the value") {
  Made made;
  ManualClockRuntime bench;
  auto fails = bench.runtime.spawn(ask, borrow(made), std::string("first"), true);
  bench.settle();
  auto cancelled = bench.runtime.spawn(ask, borrow(made), std::string("second"), false);
  bench.settle();
  auto makes = bench.runtime.spawn(ask, borrow(made), std::string("third"), false);
  bench.settle();
  bench.runtime.advance_clock(1s);
  CHECK(bench.runtime.block_on(outcome_of<std::string>, std::move(fails)) == Outcome::threw);
  CHECK(made.begun == 2);
  cancelled.cancel();
  CHECK(bench.runtime.block_on(outcome_of<std::string>, std::move(cancelled)) == Outcome::cancelled);
  bench.settle();
  CHECK(made.begun == 3);
  bench.runtime.advance_clock(1s);
  CHECK(bench.result_of(std::move(makes)) == "third");
}

TEST_CASE("many requests on many workers get the one value") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(300); ++round) {
    Counted counted;
    std::vector<JoinHandle<std::uint64_t>> tasks;
    for (int i = 0; i != 10; ++i) tasks.push_back(runtime.spawn(ask_counted, borrow(counted)));
    tasks[round % 10].cancel();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(counted.cell.get() != nullptr);
    for (std::size_t i = 0; i != tasks.size(); ++i) {
      if (i != round % 10) CHECK(tasks[i].task().take() == *counted.cell.get());
    }
  }
}

TEST_SUITE_END();

}  // namespace volt
