// SPDX-License-Identifier: MIT

#include "runtime/parallel.h"

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/forked.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

using test::in_task;

}  // namespace

TEST_SUITE_BEGIN("runtime/parallel");

TEST_CASE("every index is visited once, with any grain") {
  struct Case {
    const char* why;
    std::size_t count;
    std::size_t grain;
  };
  const Case cases[] = {
      {"none", 0, 0},
      {"one", 1, 0},
      {"fewer iterations than workers", 3, 0},
      {"many", 10'000, 0},
      {"one by one", 1'000, 1},
      {"not a multiple of the grain", 1'000, 7},
      {"all iterations in one run", 1'000, 1'000},
      {"a grain beyond the loop", 10, 1'000},
  };
  for (const std::uint32_t workers : test::kWorkerCounts) {
    Runtime runtime(test_options(workers));
    for (const auto& [why, count, grain] : cases) {
      CAPTURE(workers);
      CAPTURE(why);
      std::vector<int> visits(count);
      in_task(runtime, [&] { parallel_for(0, count, [&](std::size_t i) { ++visits[i]; }, {.grain = grain}); });
      CHECK(visits == std::vector<int>(count, 1));
      in_task(runtime, [&] { parallel_for(visits, [](int& visit) { ++visit; }, {.grain = grain}); });
      CHECK(visits == std::vector<int>(count, 2));
    }
  }
}

TEST_CASE("a loop over indexes covers exactly [begin, end)") {
  Runtime runtime(test_options(2));
  struct Case {
    const char* why;
    int begin;
    int end;
    std::int64_t sum;
  };
  const Case cases[] = {
      {"begins below zero", -10, 11, 0},
      {"an end before the begin is an empty loop", 5, -5, 0},
      {"ends at the largest integer", std::numeric_limits<int>::max() - 2, std::numeric_limits<int>::max(),
       2LL * std::numeric_limits<int>::max() - 3},
  };
  for (const auto& [why, begin, end, sum] : cases) {
    CAPTURE(why);
    const auto got = in_task(runtime, [first = begin, last = end] {
      return parallel_reduce(first, last, std::int64_t{0}, [](int i) { return std::int64_t{i}; }, std::plus<>());
    });
    CHECK(got == sum);
  }
}

TEST_CASE("neighboring values are combined from left to right") {
  std::string expected;
  for (int i = 0; i != 500; ++i) expected += std::to_string(i) + " ";
  for (const std::uint32_t workers : test::kWorkerCounts) {
    for (const std::size_t grain : {0, 1, 13}) {
      CAPTURE(workers);
      CAPTURE(grain);
      Runtime runtime(test_options(workers));
      const std::string text = in_task(runtime, [&] {
        return parallel_reduce(0, 500, std::string(), [](int i) { return std::to_string(i) + " "; }, std::plus<>(),
                               {.grain = grain});
      });
      CHECK(text == expected);
    }
  }
}

TEST_CASE("any sized random-access range can be divided") {
  Runtime runtime(test_options(2));
  const int sum = in_task(runtime, [] {
    const std::array<int, 4> few = {1, 2, 3, 4};
    const std::deque<int> many(1'000, 1);
    const auto same = [](int value) { return value; };
    return parallel_reduce(few, 0, same, std::plus<>()) + parallel_reduce(many, 0, same, std::plus<>()) +
           parallel_reduce(std::views::iota(0, 5), 0, same, std::plus<>());
  });
  CHECK(sum == 10 + 1'000 + 10);
}

TEST_CASE("a loop of long iterations is shared by all workers") {
  for (const std::uint32_t workers : {2u, 4u}) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    PerWorker<int> iterations(workers);
    // Iterations last until every worker has taken one.
    base::Atomic<std::uint32_t> came{0};
    const std::int64_t end_ns = sched::now_ns() + test::kForkTimeout.count();
    in_task(runtime, [&] {
      parallel_for(0, 64, [&](int) {
        if (iterations.local()++ == 0) came.fetch_add(1, base::relaxed);                           // relaxed: a count
        while (came.load(base::relaxed) != workers && sched::now_ns() < end_ns) test::burn(10us);  // relaxed: a count
      });
    });
    int sum = 0;
    for (std::uint32_t i = 0; i != workers; ++i) {
      CHECK(iterations.at(i) > 0);
      sum += iterations.at(i);
    }
    CHECK(sum == 64);
    CHECK(runtime.metrics().total().forks_stolen >= workers - 1);
  }
}

TEST_CASE("a loop rethrows the first exception in order after all runs have ended") {
  for (const std::uint32_t workers : test::kWorkerCounts) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    base::Atomic<int> running{0};
    const std::string what = in_task(runtime, [&] {
      try {
        parallel_for(0, 100,
                     [&](int i) {
                       running.fetch_add(1, base::relaxed);  // relaxed: a count
                       test::burn(1us);
                       running.fetch_sub(1, base::relaxed);  // relaxed: a count
                       if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
                     },
                     {.grain = 1});
      } catch (const std::runtime_error& error) {  // decided: the message is the result
        return std::string(error.what());
      }
      return std::string();
    });
    CHECK(what == "3");
    CHECK(running.load(base::relaxed) == 0);
  }
}

TEST_CASE("a loop outside a runtime runs on the calling thread") {
  std::vector<int> order;
  parallel_for(0, 5, [&](int i) { order.push_back(i); });
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4});
}

TEST_SUITE_END();

}  // namespace volt
