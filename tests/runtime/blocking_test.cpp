// SPDX-License-Identifier: MIT

#include "runtime/blocking.h"

#include <doctest/doctest.h>

#include <chrono>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::Lifetimes;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

// A callable that blocks until the test releases it.
struct Gate {
  std::counting_semaphore<1000> open{0};
  base::Atomic<int> inside{0};
  base::Atomic<int> most_inside{0};
  base::Atomic<int> ran{0};

  void pass() {
    const int now_inside = inside.fetch_add(1, base::seq_cst) + 1;  // counts of a test
    int most = most_inside.load(base::seq_cst);
    while (most < now_inside && !most_inside.compare_exchange_weak(most, now_inside, base::seq_cst)) {
    }
    open.acquire();
    inside.fetch_sub(1, base::seq_cst);
    ran.fetch_add(1, base::seq_cst);
  }
};

Task<> pass(Borrowed<Gate> gate, Lifetimes::Token) {
  auto work = [gate] { gate.get().pass(); };
  co_await blocking(work);
}

// A callable that runs until it is interrupted. Returns the number of interrupts.
Task<int> run_until_interrupted(Borrowed<Gate> gate, Borrowed<base::Atomic<int>> interrupts) {
  auto work = [gate, interrupts] {
    gate.get().pass();
    return interrupts.get().load(base::seq_cst);
  };
  auto interrupt = [gate, interrupts]() noexcept {
    interrupts.get().fetch_add(1, base::seq_cst);
    gate.get().open.release();
  };
  co_return co_await blocking(std::move(work), std::move(interrupt));
}

}  // namespace

TEST_SUITE_BEGIN("runtime/blocking");

TEST_CASE("blocking() runs the callable on another thread and returns its value or rethrows its exception") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    const std::thread::id worker = std::this_thread::get_id();
    auto other_thread = [worker] { return std::this_thread::get_id() != worker; };
    const bool elsewhere = co_await blocking(other_thread);
    CHECK(elsewhere);
    int sum = 0;
    auto add = [&sum] { sum += 5; };
    co_await blocking(add);
    CHECK(sum == 5);
    auto fail = []() -> int { throw std::runtime_error("why"); };
    std::string caught;
    try {
      co_await blocking(fail);
    } catch (const std::runtime_error& error) {  // decided: the test expects it
      caught = error.what();
    }
    CHECK(caught == "why");
  });
}

TEST_CASE("the blocking pool limits its threads and its queue; a callable beyond both limits is an error") {
  RuntimeOptions options = test_options();
  options.blocking_threads_max = 3;
  options.blocking_queue_max = 5;
  Runtime runtime(options);
  Gate gate;
  Lifetimes lifetimes;
  std::vector<JoinHandle<void>> tasks;
  for (int i = 0; i != 3; ++i) {
    tasks.push_back(runtime.spawn(pass, borrow(gate), lifetimes.token()));
    CHECK(eventually([&] { return gate.inside.load(base::seq_cst) == i + 1; }));
  }
  for (int i = 0; i != 5; ++i) tasks.push_back(runtime.spawn(pass, borrow(gate), lifetimes.token()));
  CHECK(eventually([&] { return runtime.metrics().blocking_queue_length == 5; }));
  CHECK(runtime.metrics().blocking_threads == 3);

  const auto one_too_many = [&]() -> Task<std::errc> {
    auto nothing = [] {};
    try {
      co_await blocking(nothing);
    } catch (const std::system_error& error) {  // decided: the error is the result
      co_return static_cast<std::errc>(error.code().value());
    }
    co_return std::errc{};
  };
  CHECK(runtime.block_on(one_too_many) == std::errc::resource_unavailable_try_again);

  gate.open.release(8);
  for (auto& task : tasks) CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::value);
  CHECK(gate.ran.load(base::seq_cst) == 8);
  CHECK(gate.most_inside.load(base::seq_cst) == 3);
  CHECK(lifetimes.ended() == 8);
}

TEST_CASE("a cancel removes a queued callable, and waits for a running one") {
  RuntimeOptions options = test_options();
  options.blocking_threads_max = 1;
  Runtime runtime(options);
  Gate gate;
  Lifetimes lifetimes;
  auto running = runtime.spawn(pass, borrow(gate), lifetimes.token());
  CHECK(eventually([&] { return gate.inside.load(base::seq_cst) == 1; }));
  auto waiting = runtime.spawn(pass, borrow(gate), lifetimes.token());
  CHECK(eventually([&] { return runtime.metrics().blocking_queue_length == 1; }));

  waiting.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(waiting)) == Outcome::cancelled);
  CHECK(runtime.metrics().blocking_queue_length == 0);
  running.cancel();
  std::this_thread::sleep_for(20ms);
  CHECK_FALSE(running.done());
  gate.open.release();
  CHECK(runtime.block_on(outcome_of<void>, std::move(running)) == Outcome::value);  // its value is not lost
  CHECK(gate.ran.load(base::seq_cst) == 1);
  CHECK(lifetimes.ended() == 2);
}

TEST_CASE("a cancel interrupts a running callable once, and a queued one not at all") {
  RuntimeOptions options = test_options();
  options.blocking_threads_max = 1;
  Runtime runtime(options);
  Gate gate;
  base::Atomic<int> interrupts{0};
  auto running = runtime.spawn(run_until_interrupted, borrow(gate), borrow(interrupts));
  CHECK(eventually([&] { return gate.inside.load(base::seq_cst) == 1; }));
  auto waiting = runtime.spawn(run_until_interrupted, borrow(gate), borrow(interrupts));
  CHECK(eventually([&] { return runtime.metrics().blocking_queue_length == 1; }));

  waiting.cancel();
  CHECK(runtime.block_on(outcome_of<int>, std::move(waiting)) == Outcome::cancelled);
  CHECK(interrupts.load(base::seq_cst) == 0);
  running.cancel();
  CHECK(runtime.block_on(outcome_of<int>, std::move(running)) == Outcome::value);
  CHECK(interrupts.load(base::seq_cst) == 1);

  gate.open.release();  // for the callable below, which is not interrupted
  auto finished = runtime.spawn(run_until_interrupted, borrow(gate), borrow(interrupts));
  CHECK(runtime.block_on(outcome_of<int>, std::move(finished)) == Outcome::value);
  CHECK(interrupts.load(base::seq_cst) == 1);
}

TEST_CASE("a cancel interrupts a callable once, however often the task is inspected afterwards") {
  Runtime runtime(test_options());
  Gate gate;
  base::Atomic<int> interrupts{0};
  const auto run_on = [](Borrowed<Gate> held, Borrowed<base::Atomic<int>> counter) -> Task<> {
    auto work = [held] { held.get().pass(); };
    auto interrupt = [counter]() noexcept { counter.get().fetch_add(1, base::seq_cst); };
    co_await blocking(std::move(work), std::move(interrupt));
  };
  auto running = runtime.spawn(run_on, borrow(gate), borrow(interrupts));
  CHECK(eventually([&] { return gate.inside.load(base::seq_cst) == 1; }));
  running.cancel();
  CHECK(eventually([&] { return interrupts.load(base::seq_cst) != 0; }));
  for (int i = 0; i != 3; ++i) static_cast<void>(runtime.tasks_with_awaits(10));
  CHECK(interrupts.load(base::seq_cst) == 1);
  gate.open.release();
  CHECK(eventually([&] { return running.done(); }));
}

TEST_CASE("an idle blocking thread ends after its timeout, and the next callable gets a new thread") {
  RuntimeOptions options = test_options();
  options.blocking_idle_timeout = 10ms;
  Runtime runtime(options);
  const auto nothing = []() -> Task<> {
    auto work = [] {};
    co_await blocking(work);
  };
  for (int i = 0; i != 3; ++i) {
    runtime.block_on(nothing);
    CHECK(eventually([&] { return runtime.metrics().blocking_threads == 0; }));
  }
}

TEST_CASE("no callable is lost while blocking threads end and start") {
  RuntimeOptions options = test_options();
  options.blocking_idle_timeout = 1ms;
  options.blocking_threads_max = 4;
  Runtime runtime(options);
  base::Atomic<int> ran{0};
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != 300; ++i) {
        const auto work = [](Borrowed<base::Atomic<int>> count) -> Task<> {
          auto add = [count] { count.get().fetch_add(1, base::seq_cst); };
          co_await blocking(add);
        };
        scope.spawn(work, borrow(ran));
        if (i % 3 == 0) co_await sleep_for(1ms);  // close to the idle timeout of a thread
      }
    };
    co_await with_scope(body);
  });
  CHECK(ran.load(base::seq_cst) == 300);
}

TEST_SUITE_END();

}  // namespace volt
