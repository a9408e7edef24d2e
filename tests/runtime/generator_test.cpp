// SPDX-License-Identifier: MIT

#include "runtime/generator.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/task.h"
#include "runtime/time.h"
#include "tests/support/lifetimes.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt {
namespace {

using test::Lifetimes;
using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

Generator<int> count_to(int last) {
  for (int i = 1; i <= last; ++i) co_yield i;
}

Generator<std::unique_ptr<int>> squares(Generator<int> numbers) {
  for (;;) {
    const std::optional<int> number = co_await numbers.next();
    if (!number) co_return;
    co_await sleep_for(1s);
    co_yield std::make_unique<int>(*number * *number);
  }
}

Task<std::vector<int>> collect(int last) {
  std::vector<int> values;
  Generator<std::unique_ptr<int>> generator = squares(count_to(last));
  for (;;) {
    const std::optional<std::unique_ptr<int>> value = co_await generator.next();
    if (!value) break;
    values.push_back(**value);
  }
  CHECK(generator.done());
  const std::optional<std::unique_ptr<int>> after_the_end = co_await generator.next();
  CHECK(!after_the_end);
  co_return values;
}

Generator<int> one_then_fail(std::string why) {
  co_yield 1;
  throw std::runtime_error(why);
}

Generator<int> slow(Borrowed<Lifetimes> lifetimes) {
  const auto token = lifetimes.get().token();
  for (int i = 0;; ++i) {
    co_yield i;
    co_await sleep_for(1h);
  }
}

Task<> take_two(Borrowed<Lifetimes> lifetimes) {
  Generator<int> generator = slow(lifetimes);
  const std::optional<int> first = co_await generator.next();
  CHECK(first == 0);
  static_cast<void>(co_await generator.next());
}

}  // namespace

TEST_SUITE_BEGIN("runtime/generator");

TEST_CASE("a generator yields its values in order, awaits in between, and ends") {
  ManualClockRuntime bench;
  auto collecting = bench.runtime.spawn(collect, 4);
  bench.settle();
  CHECK(!collecting.done());
  bench.runtime.advance_clock(10s);
  CHECK(bench.result_of(std::move(collecting)) == std::vector{1, 4, 9, 16});
}

TEST_CASE("a generator runs only during next(), and only to its next value") {
  ManualClockRuntime bench;
  int steps = 0;
  auto body = [&]() -> Task<> {
    auto stepping = [](int& count) -> Generator<int> {
      ++count;
      co_yield 1;
      ++count;
      co_yield 2;
    };
    Generator<int> generator = stepping(steps);
    CHECK(steps == 0);
    const std::optional<int> first = co_await generator.next();
    CHECK(first == 1);
    CHECK(steps == 1);
  };
  bench.runtime.block_on(body);
  CHECK(steps == 1);
}

TEST_CASE("next() rethrows a generator's exception, once") {
  ManualClockRuntime bench;
  auto body = []() -> Task<> {
    Generator<int> generator = one_then_fail("broken");
    const std::optional<int> first = co_await generator.next();
    CHECK(first == 1);
    std::string why;
    try {
      static_cast<void>(co_await generator.next());
    } catch (const std::runtime_error& error) {  // decided: the message is the result
      why = error.what();
    }
    CHECK(why == "broken");
    const std::optional<int> after = co_await generator.next();
    CHECK(!after);
  };
  bench.runtime.block_on(body);
}

TEST_CASE("a generator's locals are destroyed with it, at a yield or by a cancel in an await") {
  Lifetimes lifetimes;
  ManualClockRuntime bench;
  SUBCASE("destroyed at a yield") {
    auto body = [&]() -> Task<> {
      Generator<int> generator = slow(borrow(lifetimes));
      static_cast<void>(co_await generator.next());
      CHECK(lifetimes.made() - lifetimes.ended() == 1);
    };
    bench.runtime.block_on(body);
  }
  SUBCASE("destroyed before the first next()") {
    auto body = [&]() -> Task<> {
      const Generator<int> generator = slow(borrow(lifetimes));
      co_return;
    };
    bench.runtime.block_on(body);
  }
  SUBCASE("cancelled in an await") {
    auto taking = bench.runtime.spawn(take_two, borrow(lifetimes));
    bench.settle();
    CHECK(lifetimes.made() - lifetimes.ended() == 1);
    taking.cancel();
    CHECK(bench.runtime.block_on(outcome_of<void>, std::move(taking)) == Outcome::cancelled);
  }
  CHECK(lifetimes.made() == lifetimes.ended());
}

TEST_CASE("a million values do not grow the stack") {
  ManualClockRuntime bench;
  auto body = []() -> Task<> {
    constexpr int kValues = 1'000'000;
    Generator<int> generator = count_to(kValues);
    std::int64_t sum = 0;
    for (;;) {
      const std::optional<int> value = co_await generator.next();
      if (!value) break;
      sum += *value;
    }
    CHECK(sum == std::int64_t{kValues} * (kValues + 1) / 2);
  };
  bench.runtime.block_on(body);
}

TEST_SUITE_END();

}  // namespace volt
