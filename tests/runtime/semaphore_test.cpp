// SPDX-License-Identifier: MIT

#include "runtime/semaphore.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
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

struct Shared {
  explicit Shared(std::size_t permits, SemaphoreOptions options = {}) : semaphore(permits, options) {}
  Semaphore semaphore;
  std::vector<std::size_t> granted;  // what tasks acquired, in that order
  base::Atomic<std::size_t> inside{0};
};
using SharedRef = Borrowed<Shared>;

Task<> hold_for_a_second(SharedRef shared, std::size_t count) {
  const Result<Semaphore::Permit> permit = co_await shared.get().semaphore.acquire(count);
  REQUIRE(permit);
  CHECK(permit->count() == count);
  shared.get().granted.push_back(count);
  co_await sleep_for(1s);
}

// Releases the permit at once; returns the error if there was none.
Task<std::error_code> acquire_once(SharedRef shared, std::size_t count) {
  const Result<Semaphore::Permit> permit = co_await shared.get().semaphore.acquire(count);
  co_return permit ? std::error_code() : permit.error();
}

Task<std::error_code> acquire_within(SharedRef shared, std::chrono::nanoseconds wait_max) {
  const Result<Semaphore::Permit> permit = co_await shared.get().semaphore.acquire_within(wait_max);
  co_return permit ? std::error_code() : permit.error();
}

// Acquires in each of the ways, and never finds more than four permits in use.
Task<> acquire_and_release(SharedRef shared, std::size_t count, std::uint64_t rounds) {
  Semaphore& semaphore = shared.get().semaphore;
  for (std::uint64_t i = 0; i != rounds; ++i) {
    Semaphore::Permit permit;
    if (i % 4 == 3) {
      Result<Semaphore::Permit> acquired = co_await semaphore.acquire_within(20us, count);
      if (!acquired) continue;
      permit = *std::move(acquired);
    } else if (i % 4 == 2) {
      auto acquired = semaphore.try_acquire(count);
      if (!acquired) continue;
      permit = *std::move(acquired);
    } else {
      Result<Semaphore::Permit> acquired = co_await semaphore.acquire(count);
      if (!acquired) continue;
      permit = *std::move(acquired);
    }
    const test::OccupancyGuard inside(shared.get().inside, count);
    CHECK(inside.count() <= 4);
    if (i % 3 == 0) co_await sleep_for(1us);
  }
}

constexpr auto kFull = std::errc::operation_would_block;
constexpr auto kClosed = std::errc::operation_canceled;
constexpr auto kTimedOut = std::errc::timed_out;

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

TEST_CASE("a permit that is moved is released once, by its last owner") {
  Semaphore semaphore(2);
  Semaphore::Permit empty;
  CHECK(empty.count() == 0);
  {
    Semaphore::Permit first = *semaphore.try_acquire();
    Semaphore::Permit second(std::move(first));
    empty = std::move(second);
    CHECK(semaphore.available() == 1);
  }
  CHECK(empty.count() == 1);
  CHECK(semaphore.available() == 1);
  empty = Semaphore::Permit();
  CHECK(semaphore.available() == 2);
}

TEST_CASE("a waiter for many permits is not overtaken by waiters for few") {
  Shared shared(3);
  ManualClockRuntime bench;
  std::vector<JoinHandle<void>> tasks;
  for (const std::size_t count : {2, 3, 1, 1}) {
    tasks.push_back(bench.runtime.spawn(hold_for_a_second, borrow(shared), std::size_t{count}));
    bench.settle();
  }
  CHECK(shared.granted == std::vector<std::size_t>{2});
  CHECK(shared.semaphore.available() == 1);
  CHECK(shared.semaphore.waiting() == 3);
  CHECK(!shared.semaphore.try_acquire(1));  // this acquire would overtake the waiter
  bench.runtime.advance_clock(1s);
  CHECK(shared.granted == std::vector<std::size_t>{2, 3});
  bench.runtime.advance_clock(1s);
  CHECK(shared.granted == std::vector<std::size_t>{2, 3, 1, 1});
  bench.runtime.advance_clock(1s);
  CHECK(shared.semaphore.available() == 3);
  CHECK(shared.semaphore.waiting() == 0);
}

TEST_CASE("a cancelled waiter lets later waiters continue; one that was just served returns its permits") {
  Shared shared(2);
  ManualClockRuntime bench;
  SUBCASE("while it waits") {
    const auto held = shared.semaphore.try_acquire(1);
    auto greedy = bench.runtime.spawn(hold_for_a_second, borrow(shared), std::size_t{2});
    bench.settle();
    auto modest = bench.runtime.spawn(hold_for_a_second, borrow(shared), std::size_t{1});
    bench.settle();
    CHECK(shared.granted.empty());
    greedy.cancel();
    bench.settle();
    CHECK(shared.granted == std::vector<std::size_t>{1});
  }
  SUBCASE("after it was served, in acquire()") {
    auto body = [&]() -> Task<> {
      auto held = shared.semaphore.try_acquire(2);
      auto waiting = spawn(hold_for_a_second, borrow(shared), std::size_t{2});
      co_await yield();
      held.reset();
      CHECK(shared.semaphore.available() == 0);
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
    CHECK(shared.granted.empty());
    CHECK(shared.semaphore.available() == 2);
  }
  SUBCASE("after it was served, in acquire_within(): the permit goes to the next waiter") {
    auto body = [&]() -> Task<> {
      auto held = shared.semaphore.try_acquire(2);
      auto waiting = spawn(acquire_within, borrow(shared), 1h);
      auto next = spawn(acquire_once, borrow(shared), std::size_t{2});
      co_await yield();
      CHECK(shared.semaphore.waiting() == 2);
      held.reset();
      CHECK(shared.semaphore.waiting() == 1);
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
      const std::error_code served = co_await std::move(next);
      CHECK(served == std::error_code());
    };
    bench.runtime.block_on(body);
    CHECK(shared.semaphore.available() == 2);
  }
}

TEST_CASE("a full queue refuses waiters, until one has left it") {
  const struct {
    std::string why;
    void (*leave)(ManualClockRuntime&, Shared&, JoinHandle<std::error_code>& first_waiter);
    std::size_t left;  // waiters afterwards
  } cases[] = {
      {"a waiter is served", [](auto&, auto& shared, auto&) { shared.semaphore.release(); }, 1},
      {"a waiter is cancelled", [](auto&, auto&, auto& first) { first.cancel(); }, 1},
      {"a wait takes too long", [](auto& bench, auto&, auto&) { bench.runtime.advance_clock(2s); }, 1},
  };
  for (const auto& [why, leave, left] : cases) {
    CAPTURE(why);
    Shared shared(0, {.waiting_max = 2});
    ManualClockRuntime bench;
    auto first = bench.runtime.spawn(acquire_within, borrow(shared), 1s);
    bench.settle();
    auto second = bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{2});
    bench.settle();
    for (const bool limited : {false, true}) {
      auto refused = limited ? bench.runtime.spawn(acquire_within, borrow(shared), 1h)
                             : bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1});
      CHECK(bench.result_of(std::move(refused)) == kFull);
    }
    CHECK(shared.semaphore.waiting() == 2);
    leave(bench, shared, first);
    bench.settle();
    CHECK(shared.semaphore.waiting() == left);
    auto third = bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1});
    bench.settle();
    CHECK(!third.done());
    shared.semaphore.release(3);
    CHECK(bench.result_of(std::move(second)) == std::error_code());
    CHECK(bench.result_of(std::move(third)) == std::error_code());
  }
}

TEST_CASE("with an empty queue as the limit, an acquire() that would wait is refused") {
  Shared shared(1, {.waiting_max = 0});
  ManualClockRuntime bench;
  CHECK(bench.result_of(bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1})) == std::error_code());
  const auto held = shared.semaphore.try_acquire();
  CHECK(bench.result_of(bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1})) == kFull);
}

TEST_CASE("a wait ends at its limit, and leaves the queue") {
  Shared shared(1);
  ManualClockRuntime bench;
  auto held = shared.semaphore.try_acquire();
  auto impatient = bench.runtime.spawn(acquire_within, borrow(shared), 1s);
  bench.settle();
  auto patient = bench.runtime.spawn(acquire_within, borrow(shared), 3s);
  bench.settle();
  bench.runtime.advance_clock(900ms);
  CHECK(!impatient.done());
  bench.runtime.advance_clock(200ms);
  CHECK(bench.result_of(std::move(impatient)) == kTimedOut);
  CHECK(shared.semaphore.waiting() == 1);
  held.reset();
  CHECK(bench.result_of(std::move(patient)) == std::error_code());
  CHECK(shared.semaphore.available() == 1);
  // Without a wait, the limit does not matter.
  CHECK(bench.result_of(bench.runtime.spawn(acquire_within, borrow(shared), 0s)) == std::error_code());
}

TEST_CASE("when a wait ends at its limit, the next waiter is served if it needs fewer permits") {
  Shared shared(2);
  ManualClockRuntime bench;
  const auto held = shared.semaphore.try_acquire();
  const auto two_within = [](SharedRef all) -> Task<std::error_code> {
    const Result<Semaphore::Permit> permit = co_await all.get().semaphore.acquire_within(1s, 2);
    co_return permit ? std::error_code() : permit.error();
  };
  auto greedy = bench.runtime.spawn(two_within, borrow(shared));
  bench.settle();
  auto modest = bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1});
  bench.settle();
  CHECK(!modest.done());
  bench.runtime.advance_clock(2s);
  CHECK(bench.result_of(std::move(greedy)) == kTimedOut);
  CHECK(bench.result_of(std::move(modest)) == std::error_code());
}

TEST_CASE("close() ends all waits and refuses later acquires; permits stay valid") {
  Shared shared(1);
  ManualClockRuntime bench;
  auto held = shared.semaphore.try_acquire();
  std::vector<JoinHandle<std::error_code>> waiters;
  for (int i = 0; i != 50; ++i) {
    waiters.push_back(i % 2 == 0 ? bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1})
                                 : bench.runtime.spawn(acquire_within, borrow(shared), 1h));
  }
  bench.settle();
  CHECK(shared.semaphore.waiting() == 50);
  shared.semaphore.close();
  shared.semaphore.close();
  CHECK(shared.semaphore.waiting() == 0);
  for (auto& waiter : waiters) CHECK(bench.result_of(std::move(waiter)) == kClosed);
  held.reset();
  CHECK(shared.semaphore.available() == 1);
  CHECK(!shared.semaphore.try_acquire());
  CHECK(bench.result_of(bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1})) == kClosed);
  CHECK(bench.result_of(bench.runtime.spawn(acquire_within, borrow(shared), 1h)) == kClosed);
  CHECK(shared.semaphore.overdraw().count() == 1);
}

TEST_CASE("a debt is paid before anything is acquired") {
  Shared shared(2);
  ManualClockRuntime bench;
  std::array<Semaphore::Permit, 4> permits;
  for (auto& permit : permits) permit = shared.semaphore.overdraw();
  CHECK(shared.semaphore.available() == 0);
  auto waiter = bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1});
  bench.settle();
  for (std::size_t i = 0; i != 2; ++i) {
    permits[i] = Semaphore::Permit();
    bench.settle();
    CHECK(!waiter.done());
    CHECK(!shared.semaphore.try_acquire());
  }
  permits[2] = Semaphore::Permit();
  CHECK(bench.result_of(std::move(waiter)) == std::error_code());
  CHECK(shared.semaphore.available() == 1);
}

TEST_CASE("a semaphore of kPermitsMax permits is never empty") {
  Semaphore semaphore(Semaphore::kPermitsMax);
  std::vector<Semaphore::Permit> permits;
  for (int i = 0; i != 1000; ++i) {
    auto permit = semaphore.try_acquire();
    REQUIRE(permit);
    permits.push_back(*std::move(permit));
  }
  CHECK(semaphore.available() == Semaphore::kPermitsMax - 1000);
  CHECK(Semaphore(static_cast<std::size_t>(-1)).available() == Semaphore::kPermitsMax);
}

TEST_CASE("one release() serves more waiters than fit into one hold of the lock") {
  Shared shared(0);
  ManualClockRuntime bench;
  std::vector<JoinHandle<std::error_code>> tasks;
  for (int i = 0; i != 100; ++i) {
    tasks.push_back(bench.runtime.spawn(acquire_once, borrow(shared), std::size_t{1}));
  }
  bench.settle();
  shared.semaphore.release(100);
  bench.settle();
  for (auto& task : tasks) CHECK(task.done());
  CHECK(shared.semaphore.available() == 100);
}

TEST_CASE("permits are neither exceeded nor lost, whichever tasks are cancelled") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(60); ++round) {
    Shared shared(4, {.waiting_max = round % 3 == 0 ? 2U : 100U});
    std::vector<JoinHandle<void>> tasks;
    for (std::size_t i = 0; i != 8; ++i) {
      tasks.push_back(runtime.spawn(acquire_and_release, borrow(shared), i % 3 + 1, std::uint64_t{15}));
    }
    if (round % 2 == 1) tasks[round % 8].cancel();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(shared.semaphore.available() == 4);
    REQUIRE(shared.semaphore.waiting() == 0);
  }
}

TEST_CASE("threads outside of the runtime acquire, release and close") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(20); ++round) {
    Shared shared(4);
    std::vector<JoinHandle<void>> tasks;
    for (std::size_t i = 0; i != 4; ++i) {
      tasks.push_back(runtime.spawn(acquire_and_release, borrow(shared), i % 3 + 1, std::uint64_t{30}));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i != 3; ++i) {
      threads.emplace_back([&shared] {
        for (int turn = 0; turn != 200; ++turn) {
          if (auto permit = shared.semaphore.try_acquire()) {
            const test::OccupancyGuard inside(shared.inside, 1);
            CHECK(inside.count() <= 4);
          }
        }
      });
    }
    for (auto& thread : threads) thread.join();
    if (round % 2 == 1) shared.semaphore.close();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(shared.semaphore.available() == 4);
  }
}

TEST_SUITE_END();

}  // namespace volt
