#include "runtime/semaphore.h"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/occupancy_guard.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

struct Gate {
  explicit Gate(std::size_t permits) : semaphore(permits) {}
  Semaphore semaphore;
  std::vector<std::size_t> let_in;
  base::Atomic<std::size_t> inside{0};
};
using GateRef = std::reference_wrapper<Gate>;

Task<> enter(GateRef gate, std::size_t count) {
  const Semaphore::Permits permits = co_await gate.get().semaphore.acquire(count);
  CHECK(permits.count() == count);
  gate.get().let_in.push_back(count);
  co_await sleep_for(1s);
}

Task<> come_and_go(GateRef gate, std::size_t count, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const Semaphore::Permits permits = co_await gate.get().semaphore.acquire(count);
    const test::OccupancyGuard inside(gate.get().inside, count);
    CHECK(inside.count() <= 4);
    if (i % 3 == 0) co_await sleep_for(1us);
  }
}

Task<> wait_and_go(GateRef gate, std::size_t count) { static_cast<void>(co_await gate.get().semaphore.acquire(count)); }

}  // namespace

TEST_SUITE_BEGIN("runtime/semaphore");

TEST_CASE("try_acquire() and release() count permits on any thread") {
  Semaphore semaphore(3);
  auto two = semaphore.try_acquire(2);
  REQUIRE(two);
  CHECK(!semaphore.try_acquire(2));
  auto one = semaphore.try_acquire();
  REQUIRE(one);
  CHECK(semaphore.available() == 0);
  one->forget();
  one.reset();
  CHECK(semaphore.available() == 0);
  two.reset();
  CHECK(semaphore.available() == 2);
  semaphore.release(5);
  CHECK(semaphore.available() == 7);
}

TEST_CASE("a waiter for many permits is not overtaken by waiters for few") {
  Gate gate(3);
  ManualClockRuntime bench;
  std::vector<JoinHandle<void>> tasks;
  for (const std::size_t count : {2, 3, 1, 1}) {
    tasks.push_back(bench.runtime.spawn(enter, std::ref(gate), std::size_t{count}));
    bench.settle();
  }
  CHECK(gate.let_in == std::vector<std::size_t>{2});
  CHECK(gate.semaphore.available() == 1);
  CHECK(!gate.semaphore.try_acquire(1));  // this acquire would overtake the waiter
  bench.runtime.advance_clock(1s);
  CHECK(gate.let_in == std::vector<std::size_t>{2, 3});
  bench.runtime.advance_clock(1s);
  CHECK(gate.let_in == std::vector<std::size_t>{2, 3, 1, 1});
  bench.runtime.advance_clock(1s);
  CHECK(gate.semaphore.available() == 3);
}

TEST_CASE("a cancelled waiter lets later waiters continue; one that was just served returns its permits") {
  Gate gate(2);
  ManualClockRuntime bench;
  SUBCASE("while it waits") {
    const auto held = gate.semaphore.try_acquire(1);
    auto greedy = bench.runtime.spawn(enter, std::ref(gate), std::size_t{2});
    bench.settle();
    auto modest = bench.runtime.spawn(enter, std::ref(gate), std::size_t{1});
    bench.settle();
    CHECK(gate.let_in.empty());
    greedy.cancel();
    bench.settle();
    CHECK(gate.let_in == std::vector<std::size_t>{1});
  }
  SUBCASE("after it was served") {
    auto body = [&]() -> Task<> {
      auto held = gate.semaphore.try_acquire(2);
      auto waiting = spawn(enter, std::ref(gate), std::size_t{2});
      co_await yield();
      held.reset();
      CHECK(gate.semaphore.available() == 0);
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
    CHECK(gate.let_in.empty());
    CHECK(gate.semaphore.available() == 2);
  }
}

TEST_CASE("one release() serves more waiters than fit into one hold of the lock") {
  Gate gate(0);
  ManualClockRuntime bench;
  std::vector<JoinHandle<void>> tasks;
  for (int i = 0; i != 100; ++i) tasks.push_back(bench.runtime.spawn(wait_and_go, std::ref(gate), std::size_t{1}));
  bench.settle();
  gate.semaphore.release(100);
  bench.settle();
  for (auto& task : tasks) CHECK(task.done());
  CHECK(gate.semaphore.available() == 100);
}

TEST_CASE("permits are neither exceeded nor lost, whichever tasks are cancelled") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(60); ++round) {
    Gate gate(4);
    std::vector<JoinHandle<void>> tasks;
    for (std::size_t i = 0; i != 8; ++i) {
      tasks.push_back(runtime.spawn(come_and_go, std::ref(gate), i % 3 + 1, std::uint64_t{15}));
    }
    if (round % 2 == 1) tasks[round % 8].cancel();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(gate.semaphore.available() == 4);
  }
}

TEST_SUITE_END();

}  // namespace volt
