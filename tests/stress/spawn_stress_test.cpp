// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Lifetimes;
using test::stress_rounds;
using Total = Borrowed<base::Atomic<std::uint64_t>>;

Task<> add(Total total, std::uint64_t value) {
  total.get().fetch_add(value, base::relaxed);  // relaxed: read when all are done
  co_return;
}

Task<> yield_and_add(Total total) {
  co_await yield();
  total.get().fetch_add(1, base::relaxed);  // relaxed: as above
}

// Spawns `count` tasks, a thousand at a time so that memory stays small, and waits for each.
Task<> spawn_in_scopes(Total total, std::uint64_t count) {
  while (count != 0) {
    const std::uint64_t batch = std::min<std::uint64_t>(count, 1000);
    count -= batch;
    auto body = [total, batch](Scope& scope) -> Task<> {
      for (std::uint64_t i = 0; i != batch; ++i) scope.spawn(add, total, 1);
      co_return;
    };
    co_await with_scope(body);
  }
}

Task<std::uint64_t> count_leaves(int depth) {
  if (depth == 0) co_return 1;
  auto left = spawn(count_leaves, depth - 1);
  auto right = spawn(count_leaves, depth - 1);
  const std::uint64_t a = co_await std::move(left);
  const std::uint64_t b = co_await std::move(right);
  co_return a + b;
}

// Two million tasks of each kind; a worker may be the only one or one of many.
void spawn_every_way(std::uint32_t workers, std::uint64_t rounds) {
  CAPTURE(workers);
  base::Atomic<std::uint64_t> total{0};
  std::uint64_t expected = 0;
  Runtime runtime(test_options(workers));

  runtime.block_on(spawn_in_scopes, Total(total), rounds);
  expected += rounds;

  const auto four_spawners = [&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != 4; ++i) scope.spawn(spawn_in_scopes, Total(total), rounds / 4);
      co_return;
    };
    co_await with_scope(body);
  };
  runtime.block_on(four_spawners);
  expected += rounds / 4 * 4;
  CHECK(total.load(base::relaxed) == expected);  // relaxed: all are done

  int depth = 0;
  while ((std::uint64_t{2} << depth) < rounds) ++depth;
  CHECK(runtime.block_on(count_leaves, depth) == std::uint64_t{1} << depth);

  std::vector<std::thread> threads;
  for (int i = 0; i != 3; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t round = 0; round != rounds / 6; ++round) {
        runtime.spawn(yield_and_add, Total(total)).detach();
        if (round % 1024 == 0) runtime.block_on(add, Total(total), 0);  // lets the runtime keep up
      }
    });
  }
  for (auto& thread : threads) thread.join();
  expected += rounds / 6 * 3;
  CHECK(test::eventually([&] { return total.load(base::relaxed) == expected; }));  // relaxed: a count
  CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 0; }));
}

}  // namespace

TEST_SUITE_BEGIN("stress/spawn_stress");

TEST_CASE("ten million spawned tasks all run exactly once, wherever they are spawned") {
  for (const std::uint32_t workers : {1u, 2u, 7u}) spawn_every_way(workers, stress_rounds(1'000'000));
}

TEST_SUITE_END();

}  // namespace volt
