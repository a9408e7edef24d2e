// SPDX-License-Identifier: MIT

#include "runtime/mutex.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

struct Guarded {
  Mutex mutex;
  std::uint64_t value = 0;
  std::vector<int> order;
};
using GuardedRef = Borrowed<Guarded>;

Task<> enter(GuardedRef guarded, int entry) {
  const Mutex::Guard guard = co_await guarded.get().mutex.lock();
  guarded.get().order.push_back(entry);
}

Task<> add(GuardedRef guarded, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const Mutex::Guard guard = co_await guarded.get().mutex.lock();
    const std::uint64_t before = guarded.get().value;
    if (i % 3 == 0) co_await yield();
    guarded.get().value = before + 1;
  }
}

Task<> hold(GuardedRef guarded) {
  const Mutex::Guard guard = co_await guarded.get().mutex.lock();
  co_await sleep_for(1h);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/mutex");

TEST_CASE("one task holds the mutex at a time, across awaits and on any worker") {
  Runtime runtime(test_options());
  Guarded guarded;
  const std::uint64_t rounds = test::stress_rounds(2'000);
  auto body = [&]() -> Task<> {
    auto children = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != 8; ++i) scope.spawn(add, borrow(guarded), std::uint64_t{rounds});
      co_return;
    };
    co_await with_scope(children);
  };
  runtime.block_on(body);
  CHECK(guarded.value == 8 * rounds);
}

TEST_CASE("waiters get the mutex in order, and a task that finds it free takes it at once") {
  Runtime runtime(test_options(1));
  Guarded guarded;
  auto body = [&]() -> Task<> {
    auto children = [&](Scope& scope) -> Task<> {
      std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
      for (int i = 0; i != 5; ++i) {
        scope.spawn(enter, borrow(guarded), i);
        co_await yield();  // the waiter queues before the next one arrives
      }
      CHECK(!guarded.mutex.try_lock());
      guard.reset();                     // the first waiter is woken
      guard = guarded.mutex.try_lock();  // the first waiter is overtaken
      CHECK(guard);
    };
    co_await with_scope(children);
  };
  runtime.block_on(body);
  CHECK(guarded.order == std::vector{0, 1, 2, 3, 4});
  CHECK(guarded.mutex.try_lock());
}

TEST_CASE("a waiter is overtaken once, then handed the lock") {
  Runtime runtime(test_options(1));
  Guarded guarded;
  auto body = [&]() -> Task<> {
    std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
    auto waiting = spawn(enter, borrow(guarded), 1);
    co_await yield();
    guard.reset();
    guard = guarded.mutex.try_lock();
    REQUIRE(guard);
    co_await yield();  // the waiter runs, and finds the lock taken
    CHECK(guarded.order.empty());
    guard.reset();
    CHECK(!guarded.mutex.try_lock());  // the lock was handed to the waiter
    co_await std::move(waiting);
  };
  runtime.block_on(body);
  CHECK(guarded.order == std::vector{1});
  CHECK(guarded.mutex.try_lock());
}

TEST_CASE("a waiter that is cancelled after it was woken wakes the next one") {
  Runtime runtime(test_options(1));
  Guarded guarded;
  auto body = [&]() -> Task<> {
    std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
    auto first = spawn(enter, borrow(guarded), 1);
    co_await yield();
    auto second = spawn(enter, borrow(guarded), 2);
    co_await yield();
    guard.reset();   // wakes the first waiter
    first.cancel();  // before the first waiter runs
    co_await std::move(second);
    const Outcome outcome = co_await outcome_of(std::move(first));
    CHECK(outcome == Outcome::cancelled);
  };
  runtime.block_on(body);
  CHECK(guarded.order == std::vector{2});
  CHECK(guarded.mutex.try_lock());
}

// A task that locks repeatedly exhausts its budget between two locks, never while it holds the lock.
TEST_CASE("a task that holds the mutex is never sent to the back of the run queue") {
  Runtime runtime(test_options(1));
  Guarded guarded;
  auto locks = [](GuardedRef shared, std::size_t times) -> Task<> {
    for (std::size_t i = 0; i != times; ++i) {
      const Mutex::Guard guard = co_await shared.get().mutex.lock();
      ++shared.get().value;
    }
  };
  auto looks = [](GuardedRef shared, std::size_t times) -> Task<> {
    for (std::size_t i = 0; i != times; ++i) {
      CHECK(shared.get().mutex.try_lock());
      co_await yield();
    }
  };
  auto locking = runtime.spawn(locks, borrow(guarded), std::size_t{10'000});
  auto looking = runtime.spawn(looks, borrow(guarded), std::size_t{50});
  CHECK(test::eventually([&] { return locking.done() && looking.done(); }));
  CHECK(guarded.value == 10'000);
}

TEST_CASE("a waiter that is cancelled in any state passes the mutex on") {
  Runtime runtime(test_options(1));
  Guarded guarded;
  SUBCASE("while it waits") {
    auto body = [&]() -> Task<> {
      std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
      auto waiting = spawn(enter, borrow(guarded), 1);
      co_await yield();
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
    };
    runtime.block_on(body);
    CHECK(guarded.order.empty());
  }
  SUBCASE("after the lock was handed to it") {
    auto body = [&]() -> Task<> {
      std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
      auto first = spawn(enter, borrow(guarded), 1);
      co_await yield();
      auto second = spawn(enter, borrow(guarded), 2);
      co_await yield();
      guard.reset();
      first.cancel();
      const Outcome outcome = co_await outcome_of(std::move(first));
      CHECK(outcome == Outcome::cancelled);
      const Outcome next = co_await outcome_of(std::move(second));
      CHECK(next == Outcome::value);
    };
    runtime.block_on(body);
    CHECK(guarded.order == std::vector{2});
  }
  SUBCASE("while it holds the lock") {
    auto holding = runtime.spawn(hold, borrow(guarded));
    CHECK(test::eventually([&] { return !guarded.mutex.try_lock(); }));
    holding.cancel();
    CHECK(runtime.block_on(outcome_of<void>, std::move(holding)) == Outcome::cancelled);
  }
  CHECK(guarded.mutex.try_lock());
}

TEST_CASE("a thread that is not a worker may hold the mutex") {
  Runtime runtime(test_options());
  Guarded guarded;
  std::optional<Mutex::Guard> guard = guarded.mutex.try_lock();
  auto waiting = runtime.spawn(enter, borrow(guarded), 1);
  std::this_thread::sleep_for(1ms);
  CHECK(!waiting.done());
  guard.reset();
  CHECK(test::eventually([&] { return waiting.done(); }));
}

TEST_CASE("the mutex is never lost when cancels race with hand-overs") {
  Runtime runtime(test_options());
  Guarded guarded;
  for (std::uint64_t round = 0; round != test::stress_rounds(300); ++round) {
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 10; ++i) tasks.push_back(runtime.spawn(add, borrow(guarded), std::uint64_t{5}));
    for (std::size_t i = 0; i < tasks.size(); i += 2) tasks[i].cancel();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(guarded.mutex.try_lock());
  }
}

TEST_SUITE_END();

}  // namespace volt
