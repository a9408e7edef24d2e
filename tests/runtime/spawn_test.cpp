// SPDX-License-Identifier: MIT

#include "runtime/spawn.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/log.h"
#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Lifetimes;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

Task<int> add(int a, int b) { co_return a + b; }

Task<int> add_later(int a, int b) {
  co_await sleep_for(2ms);
  co_return a + b;
}

Task<> fail(std::string why) {
  throw std::runtime_error(why);
  co_return;
}

Task<> fail_later(std::string why) {
  co_await sleep_for(2ms);
  throw std::runtime_error(why);
}

Task<std::unique_ptr<int>> pass_on(std::unique_ptr<int> value) { co_return value; }

Task<> hold_for(Lifetimes::Token, std::chrono::milliseconds duration) { co_await sleep_for(duration); }

// Returns 1 when `over` is true. Counts itself in `finished` then, but not if it is cancelled.
Task<int> hold_until(Lifetimes::Token, Borrowed<base::Atomic<bool>> over, Borrowed<base::Atomic<int>> finished) {
  while (!over.get().load(base::acquire)) co_await sleep_for(1ms);
  finished.get().fetch_add(1, base::relaxed);  // relaxed: a count
  co_return 1;
}

Task<int> fibonacci(int n) {
  if (n < 2) co_return n;
  auto one = spawn(fibonacci, n - 1);
  auto two = spawn(fibonacci, n - 2);
  const int a = co_await std::move(one);
  const int b = co_await std::move(two);
  co_return a + b;
}

Task<int> join(JoinHandle<int> handle) { co_return co_await std::move(handle); }

Task<std::uint32_t> which_worker() { co_return this_worker(); }

}  // namespace

TEST_SUITE_BEGIN("runtime/spawn");

TEST_CASE("a join returns the task's value, before or after the task's end") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    auto quick = spawn(add, 1, 2);
    auto slow = spawn(add_later, 3, 4);
    auto owner = spawn(pass_on, std::make_unique<int>(9));
    auto lambda = spawn([](int x) -> Task<int> { co_return x * 2; }, 21);
    const int seven = co_await std::move(slow);
    CHECK(seven == 7);
    CHECK(quick.done());
    const int three = co_await std::move(quick);
    CHECK(three == 3);
    const auto nine = co_await std::move(owner);
    CHECK(*nine == 9);
    const int answer = co_await std::move(lambda);
    CHECK(answer == 42);
  });
}

TEST_CASE("a join rethrows the task's exception") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    for (const auto function : {fail, fail_later}) {
      auto task = spawn(function, "why");
      std::string caught;
      try {
        co_await std::move(task);
      } catch (const std::runtime_error& error) {  // decided: the test expects it
        caught = error.what();
      }
      CHECK(caught == "why");
    }
  });
}

// A value whose second move throws. The first one is the move into the promise by co_return.
class ThrowsOnMove {
 public:
  ThrowsOnMove() = default;
  ThrowsOnMove(ThrowsOnMove&& other) : moves_(other.moves_ + 1) {
    if (moves_ == 2) throw std::runtime_error("cannot be moved");
  }

 private:
  int moves_ = 0;
};
Task<ThrowsOnMove> return_what_throws_on_move() { co_return ThrowsOnMove(); }

TEST_CASE("a value whose move out of the coroutine throws fails the task") {
  Runtime runtime(test_options());
  CHECK_THROWS_WITH_AS(runtime.block_on(return_what_throws_on_move), "cannot be moved", std::runtime_error);
  runtime.block_on([]() -> Task<> {
    auto task = spawn(return_what_throws_on_move);
    std::string caught;
    try {
      co_await std::move(task);
    } catch (const std::runtime_error& error) {  // decided: the test expects it
      caught = error.what();
    }
    CHECK(caught == "cannot be moved");
  });
}

TEST_CASE("a task whose handle is destroyed continues, and its frame is destroyed when it is done") {
  Lifetimes lifetimes;
  base::Atomic<bool> over{false};
  base::Atomic<int> finished{0};
  {
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      spawn(hold_until, lifetimes.token(), borrow(over), borrow(finished)).detach();
      {
        auto dropped = spawn(hold_until, lifetimes.token(), borrow(over), borrow(finished));
      }
      co_return;
    });
    CHECK(lifetimes.ended() == 0);
    over.store(true, base::release);
    CHECK(test::eventually([&] { return lifetimes.ended() == 2; }));
    CHECK(test::eventually([&] { return finished.load(base::relaxed) == 2; }));  // relaxed: a count
    CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 0; }));
  }
  CHECK(lifetimes.made() == lifetimes.ended());
}

// A value that stores whether it was destroyed in the turn of a task.
class NotesItsEnd {
 public:
  enum class End : std::uint8_t { none, in_turn, after_turn };

  explicit NotesItsEnd(base::Atomic<End>& end) noexcept : end_(&end) {}
  NotesItsEnd(NotesItsEnd&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  NotesItsEnd& operator=(NotesItsEnd&&) = delete;
  ~NotesItsEnd() {
    if (end_ == nullptr) return;
    end_->store(sched::current()->task != nullptr ? End::in_turn : End::after_turn, base::relaxed);  // relaxed: a flag
  }

 private:
  base::Atomic<End>* end_;
};

Task<NotesItsEnd> return_after(Borrowed<Notify> begin, Borrowed<base::Atomic<NotesItsEnd::End>> end) {
  co_await begin.get().notified();
  co_return NotesItsEnd(end.get());
}

TEST_CASE("the value of a task that no handle can take is destroyed before the task has ended") {
  Notify begin;
  base::Atomic<NotesItsEnd::End> end{NotesItsEnd::End::none};
  Runtime runtime(test_options());
  runtime.spawn(return_after, borrow(begin), borrow(end)).detach();
  begin.notify_one();
  CHECK(test::eventually([&] { return end.load(base::relaxed) != NotesItsEnd::End::none; }));  // relaxed: a flag
  CHECK(end.load(base::relaxed) == NotesItsEnd::End::in_turn);                                 // relaxed: a flag
}

TEST_CASE("tasks may spawn and join tasks") {
  Runtime runtime(test_options());
  CHECK(runtime.block_on(fibonacci, 15) == 610);
}

TEST_CASE("a handle may be passed to another task") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    auto slow = spawn(add_later, 1, 2);
    const int three = co_await spawn(join, std::move(slow));
    CHECK(three == 3);
  });
}

TEST_CASE("cancelling a joining task ends the join and does not cancel the joined task") {
  Lifetimes lifetimes;
  base::Atomic<bool> over{false};
  base::Atomic<int> finished{0};
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    auto joined = spawn(hold_until, lifetimes.token(), borrow(over), borrow(finished));
    auto joiner = spawn(join, std::move(joined));
    co_await yield();
    joiner.cancel();
    const Outcome outcome = co_await outcome_of(std::move(joiner));
    CHECK(outcome == Outcome::cancelled);
  });
  CHECK(lifetimes.ended() == 0);
  over.store(true, base::release);
  CHECK(test::eventually([&] { return lifetimes.ended() == 1; }));
  CHECK(test::eventually([&] { return finished.load(base::relaxed) == 1; }));  // relaxed: a count
}

TEST_CASE("a join of a cancelled task throws Cancelled, and a repeated or late cancel has no effect") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  auto task = runtime.spawn(hold_for, lifetimes.token(), 1h);
  task.cancel();
  task.cancel();
  CHECK(test::eventually([&] { return task.done(); }));
  task.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  CHECK(lifetimes.ended() == 1);
}

TEST_CASE("spawn_on() starts the task on the given worker") {
  RuntimeOptions options = test_options(3);
  options.enable_stealing = false;
  Runtime runtime(options);
  for (std::uint32_t worker = 0; worker != 3; ++worker) {
    auto from_outside = runtime.spawn_on(worker, which_worker);
    const auto join_it = [](JoinHandle<std::uint32_t> task) -> Task<std::uint32_t> {
      co_return co_await std::move(task);
    };
    CHECK(runtime.block_on(join_it, std::move(from_outside)) == worker);
    const auto from_task = [](std::uint32_t where) -> Task<std::uint32_t> {
      co_return co_await spawn_on(where, which_worker);
    };
    CHECK(runtime.block_on(from_task, worker) == worker);
  }
}

TEST_CASE("threads that are not workers may spawn, cancel and drop tasks concurrently") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  std::vector<std::thread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round != 200; ++round) {
        auto task = runtime.spawn(hold_for, lifetimes.token(), std::chrono::milliseconds(round % 3));
        if (round % 2 == 0) task.cancel();
        if (round % 5 == 0) task.detach();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(test::eventually([&] { return lifetimes.ended() == 800; }));
  CHECK(lifetimes.made() == 800);
}

TEST_CASE("the exception of a task that no handle takes is logged with its place and counted, once") {
  std::string logged;
  int line = 0;
  {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(
        LogOptions{.flush_timeout = 60s, .sink = [&](std::string_view lines) { logged += lines; }});
    Runtime runtime(options);
    const auto failures = [&] { return runtime.metrics().detached_failures; };

    runtime.spawn(fail_later, "detached").detach();
    line = __LINE__ - 1;
    CHECK(test::eventually([&] { return failures() == 1; }));
    runtime.block_on([]() -> Task<> {
      JoinHandle<void> dropped = spawn(fail, "dropped late");
      while (!dropped.done()) co_await yield();
    });
    CHECK(test::eventually([&] { return failures() == 2; }));  // the worker that ended the task may drop it last

    CHECK(runtime.block_on(outcome_of<void>, runtime.spawn(fail, "joined")) == Outcome::threw);
    CHECK_THROWS(runtime.block_on(fail, "blocked on"));
    auto cancelled = runtime.spawn([]() -> Task<> { co_await sleep_for(1h); });
    cancelled.cancel();
    cancelled.detach();
    CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 0; }));
    CHECK(failures() == 2);
  }
  CHECK(logged.find("a detached task threw an exception error=detached type=std::runtime_error") != std::string::npos);
  CHECK(logged.find("error=\"dropped late\"") != std::string::npos);
  CHECK(logged.find("joined") == std::string::npos);
  CHECK(logged.find("blocked on") == std::string::npos);
  CHECK(logged.find("detached_at=tests/runtime/spawn_test.cpp:" + std::to_string(line)) != std::string::npos);
}

TEST_CASE("a callable of blocking() may spawn tasks of its runtime") {
  Runtime runtime(test_options());
  const int sum = runtime.block_on([]() -> Task<int> {
    auto [any, on, pinned] = co_await blocking(
        [] { return std::tuple(spawn(add, 1, 2), spawn_on(1, add, 3, 4), spawn_local_on(0, add_later, 5, 6)); });
    const int first = co_await std::move(any);
    const int second = co_await std::move(on);
    const int third = co_await std::move(pinned);
    co_return first + second + third;
  });
  CHECK(sum == 21);
}

TEST_SUITE_END();

}  // namespace volt
