// SPDX-License-Identifier: MIT

#include "runtime/fork.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/forked.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::in_task;
using test::Meeting;

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const auto [a, b] = fork([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Deep and unbalanced forks: the second half of each fork is one call, the first half all the rest.
std::uint64_t chain(std::uint64_t length) {
  if (length == 0) return 0;
  const auto [rest, one] = fork([length] { return chain(length - 1); }, [] { return std::uint64_t{1}; });
  return rest + one;
}

std::uint64_t chain_of_seconds(std::uint64_t length) {
  if (length == 0) return 0;
  const auto [one, rest] = fork([] { return std::uint64_t{1}; }, [length] { return chain_of_seconds(length - 1); });
  return one + rest;
}

// Returns the message of the call's exception; empty if it threw none.
template <class F>
std::string thrown_by(F function) {
  try {
    function();
  } catch (const std::runtime_error& error) {  // decided: the message is the result
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("runtime/fork");

TEST_CASE("the destructor of a parameter may fork, after the coroutine has ended") {
  struct ForksAtItsEnd {
    explicit ForksAtItsEnd(std::shared_ptr<Meeting> where) : meeting(std::move(where)) {}
    ForksAtItsEnd(ForksAtItsEnd&&) = default;
    ~ForksAtItsEnd() {
      if (meeting != nullptr)
        static_cast<void>(fork([this] { return meeting->meet(); }, [this] { return meeting->meet(); }));
    }
    std::shared_ptr<Meeting> meeting;
  };
  Runtime runtime(test_options(2));
  const auto nothing = [](ForksAtItsEnd) -> Task<> { co_return; };
  const auto meeting = std::make_shared<Meeting>();
  runtime.block_on(nothing, ForksAtItsEnd(meeting));
}

TEST_CASE("a fork returns the values of its functions in order") {
  for (const std::uint32_t workers : test::kWorkerCounts) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    const bool right = in_task(runtime, [] {
      const auto [one, two] = fork([] { return 1; }, [] { return std::string("two"); });
      int called = 0;
      const auto [nothing, owned] = fork([&] { ++called; }, [] { return std::make_unique<int>(3); });
      static_assert(std::is_same_v<decltype(nothing), const sched::NoValue>);
      const auto [alone] = fork([] { return 4; });
      const auto [a, b, c, d, e] = fork([] { return 5; }, [] { return 6; }, [&] { ++called; }, [] { return 7; },
                                        [] { return std::make_unique<int>(8); });
      static_assert(std::is_same_v<decltype(c), const sched::NoValue>);
      return one == 1 && two == "two" && *owned == 3 && alone == 4 && a == 5 && b == 6 && d == 7 && *e == 8 &&
             called == 2;
    });
    CHECK(right);
  }
}

TEST_CASE("a fork calls the function object itself, not a copy") {
  Runtime runtime(test_options(2));
  const int calls = in_task(runtime, [] {
    auto count = [calls = 0]() mutable { return ++calls; };
    fork(count, [] {});
    fork([] {}, count);
    return count();
  });
  CHECK(calls == 3);
}

TEST_CASE("nested forks compute the right sum") {
  for (const std::uint32_t workers : test::kWorkerCounts) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    for (int i = 0; i != 3; ++i) CHECK(in_task(runtime, [] { return fib(20); }) == 6765);
  }
}

TEST_CASE("a fork on a thread that is not a worker calls its functions in sequence") {
  std::vector<int> calls;
  fork([&] { calls.push_back(1); }, [&] { calls.push_back(2); }, [&] { calls.push_back(3); });
  CHECK(calls == std::vector<int>{1, 2, 3});
  CHECK(fib(10) == 55);
  const std::string why =
      thrown_by([&] { fork([] { throw std::runtime_error("first"); }, [&] { calls.push_back(4); }); });
  CHECK(why == "first");
  CHECK(calls.size() == 4);
}

TEST_CASE("a fork in blocking() calls its functions in sequence") {
  Runtime runtime(test_options(2));
  const bool alone = runtime.block_on([]() -> Task<bool> {
    auto compute = [] {
      const auto here = std::this_thread::get_id();
      const auto [a, b] = fork([] { return std::this_thread::get_id(); }, [] { return std::this_thread::get_id(); });
      return a == here && b == here;
    };
    co_return co_await blocking(compute);
  });
  CHECK(alone);
}

TEST_CASE("without stealing, a fork stays on its worker") {
  RuntimeOptions options = test_options(2);
  options.enable_stealing = false;
  Runtime runtime(options);
  CHECK(in_task(runtime, [] { return fib(16); }) == 987);
  CHECK(runtime.metrics().total().forks_stolen == 0);
}

TEST_CASE("every function of a fork is called, and the first exception in order is rethrown") {
  struct Case {
    const char* why;
    bool left_throws;
    bool right_throws;
    const char* thrown;
  };
  const Case cases[] = {
      {"neither throws", false, false, ""},
      {"the left one throws", true, false, "left"},
      {"the right one throws", false, true, "right"},
      {"both throw", true, true, "left"},
  };
  for (const std::uint32_t workers : test::kWorkerCounts) {
    Runtime runtime(test_options(workers));
    for (const bool together : {false, true}) {  // true: the second function is certainly stolen
      if (together && workers == 1) continue;
      for (const auto& [why, left_throws, right_throws, thrown] : cases) {
        CAPTURE(workers);
        CAPTURE(together);
        CAPTURE(why);
        base::Atomic<int> ended{0};
        const std::string what = in_task(runtime, [&] {
          return thrown_by([&] {
            Meeting meeting;
            const auto side = [&](bool throws, const char* name) {
              if (together && !meeting.meet()) throw std::runtime_error("alone");
              ended.fetch_add(1, base::relaxed);  // relaxed: a count
              if (throws) throw std::runtime_error(name);
            };
            fork([&] { side(left_throws, "left"); }, [&] { side(right_throws, "right"); });
          });
        });
        CHECK(what == thrown);
        CHECK(ended.load(base::relaxed) == 2);
      }
    }
    const std::string of_four = in_task(runtime, [] {
      return thrown_by([] {
        fork([] { return 1; }, [] {}, [] { throw std::runtime_error("third"); },
             [] { throw std::runtime_error("fourth"); });
      });
    });
    CHECK(of_four == "third");
  }
}

TEST_CASE("forks may be nested deeper than the capacity of the deque, on either side") {
  constexpr std::uint64_t kLength = test::kSanitized ? 2'000 : 20'000;
  for (const std::uint32_t workers : test::kWorkerCounts) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    CHECK(in_task(runtime, [] { return chain(kLength); }) == kLength);
    CHECK(in_task(runtime, [] { return chain_of_seconds(kLength); }) == kLength);
  }
}

TEST_SUITE_END();

}  // namespace volt
