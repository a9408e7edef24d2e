// SPDX-License-Identifier: MIT

#include "runtime/task.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Lifetimes;
using namespace std::chrono_literals;

Task<int> three() { co_return 3; }

Task<> note(std::string& text, char letter) {
  text += letter;
  co_return;
}

Task<> fail(std::string why) {
  throw std::runtime_error(why);
  co_return;
}

Task<int> hold(Lifetimes::Token, int value) { co_return value; }

Task<std::uint64_t> sum_of_ready_tasks(std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != count; ++i) {
    const int value = co_await three();
    sum += static_cast<std::uint64_t>(value);
  }
  co_return sum;
}

Task<int> nested(int depth) {
  if (depth == 0) co_return 0;
  const int below = co_await nested(depth - 1);
  co_return below + 1;
}

Task<> append_and_yield(Borrowed<std::string> text, char letter, int times) {
  for (int i = 0; i != times; ++i) {
    text.get() += letter;
    co_await yield();
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/task");

TEST_CASE("a Task starts when it is awaited, not before") {
  Runtime runtime(test_options(1));
  std::string text;
  runtime.block_on([&]() -> Task<> {
    auto late = note(text, 'b');
    auto never = note(text, 'x');
    co_await note(text, 'a');
    co_await std::move(late);
  });
  CHECK(text == "ab");
}

TEST_CASE("a Task returns a value of any movable type") {
  Runtime runtime(test_options(1));
  CHECK(runtime.block_on(three) == 3);
  const auto owner = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
  CHECK(*runtime.block_on(owner) == 7);
}

TEST_CASE("an exception propagates through every level of awaits") {
  Runtime runtime(test_options(1));
  CHECK_THROWS_WITH_AS(runtime.block_on(fail, "why"), "why", std::runtime_error);
  const auto outer = []() -> Task<int> {
    try {
      co_await fail("inner");
    } catch (const std::runtime_error& error) {  // decided: the test expects it
      co_return static_cast<int>(std::string(error.what()).size());
    }
    co_return 0;
  };
  CHECK(runtime.block_on(outer) == 5);
}

TEST_CASE("the frame of a Task is destroyed once, awaited or not") {
  Runtime runtime(test_options(1));
  Lifetimes lifetimes;
  runtime.block_on([&]() -> Task<> {
    {
      auto never = hold(lifetimes.token(), 1);
      CHECK(lifetimes.ended() == 0);
    }
    CHECK(lifetimes.ended() == 1);
    auto moved = hold(lifetimes.token(), 2);
    auto target = hold(lifetimes.token(), 3);
    target = std::move(moved);
    const int value = co_await std::move(target);
    CHECK(value == 2);
  });
  CHECK(lifetimes.made() == 3);
  CHECK(lifetimes.ended() == 3);
}

TEST_CASE("a million awaits of ready tasks, and ten thousand nested ones, need little stack") {
  Runtime runtime(test_options(1));
  CHECK(runtime.block_on(sum_of_ready_tasks, 1'000'000) == 3'000'000);
  CHECK(runtime.block_on(nested, 10'000) == 10'000);
}

TEST_CASE("yield() lets every other runnable task of the worker run first") {
  Runtime runtime(test_options(1));
  std::string text;
  runtime.block_on([&]() -> Task<> {
    auto a = spawn(append_and_yield, borrow(text), 'a', 3);
    auto b = spawn(append_and_yield, borrow(text), 'b', 3);
    auto c = spawn(append_and_yield, borrow(text), 'c', 3);
    co_await std::move(a);
    co_await std::move(b);
    co_await std::move(c);
  });
  // Whichever task begins, each task runs once in a round.
  REQUIRE(text.size() == 9);
  for (std::size_t round = 0; round != 9; round += 3) {
    std::string letters = text.substr(round, 3);
    std::sort(letters.begin(), letters.end());
    CHECK(letters == "abc");
  }
}

TEST_SUITE_END();

}  // namespace volt
