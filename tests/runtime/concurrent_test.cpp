// SPDX-License-Identifier: MIT

#include "runtime/concurrent.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/waiting.h"

namespace volt {

// A value that cannot be moved out of its coroutine. Not in the anonymous namespace, because g++ 14 crashes on such a
// type of an included file in the frame of all(), and these files are compiled together.
struct Immovable {
  explicit Immovable(bool throws) : throws_(throws) {}
  Immovable(Immovable&& other) : throws_(other.throws_) {
    if (throws_) throw std::runtime_error("moved");
  }
  bool throws_;
};

namespace {

using test::Lifetimes;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

template <class T>
Task<T> give(std::chrono::nanoseconds after, T value) {
  co_await sleep_for(after);
  co_return value;
}

Task<> wait_for(std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<> hold(Lifetimes::Token, std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<int> fail(std::chrono::nanoseconds after, std::string why) {
  co_await sleep_for(after);
  throw std::runtime_error(why);
}

// Returns the message of the task's exception; empty if it threw none.
template <class T>
Task<std::string> thrown_by(Task<T> task) {
  try {
    co_await std::move(task);
  } catch (const std::runtime_error& error) {  // decided: the message is the result
    co_return error.what();
  } catch (const Cancelled&) {  // decided: a cancel is a result too
    co_return "cancelled";
  }
  co_return "";
}

std::uint64_t tasks_spawned(const Runtime& runtime) {
  std::uint64_t spawned = 0;
  for (const WorkerMetrics& worker : runtime.metrics().workers) spawned += worker.tasks_spawned;
  return spawned;
}

// Sums its leaves in calls of all() that are nested `depth` deep. The leaf with the number `waits_at` waits.
Task<int> sum_leaves(int first, int depth, int waits_at) {
  if (depth == 0) {
    if (first == waits_at) co_await sleep_for(1ms);
    co_return first;
  }
  const int half = 1 << (depth - 1);
  const auto [left, right] = co_await all([=] { return sum_leaves(first, depth - 1, waits_at); },
                                          [=] { return sum_leaves(first + half, depth - 1, waits_at); });
  co_return left + right;
}

// Calls all() in its own child, `depth` times; the innermost one waits.
Task<int> nest(int depth) {
  if (depth == 0) co_return co_await give(1ms, 0);
  const auto [inner, one] = co_await all([=] { return nest(depth - 1); }, [] { return give(0ms, 1); });
  co_return inner + one;
}

Task<Immovable> give_immovable() { co_return Immovable(true); }

}  // namespace

TEST_SUITE_BEGIN("runtime/concurrent");

TEST_CASE("all() returns the values in order, whichever task is done first") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    auto one = [] { return give(3ms, 1); };
    auto two = [] { return give(0ms, std::string("two")); };
    auto nothing = [] { return wait_for(1ms); };
    const auto values = co_await all(one, two, nothing);
    CHECK(std::get<0>(values) == 1);
    CHECK(std::get<1>(values) == "two");
  });
}

TEST_CASE("all() runs its tasks concurrently") {
  Runtime runtime(test_options());
  const std::int64_t start_ns = sched::now_ns();
  runtime.block_on([&]() -> Task<> {
    auto wait = [] { return wait_for(1s); };
    co_await all(wait, wait, wait, wait, wait, wait, wait, wait);
  });
  CHECK(sched::now_ns() - start_ns < 8'000'000'000);
}

TEST_CASE("if a task of all() throws, the others are cancelled and its exception is rethrown") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  auto slow = [&] { return hold(lifetimes.token(), 1h); };
  auto bad = [] { return fail(1ms, "bad"); };
  auto worse = [] { return fail(1h, "worse"); };
  CHECK(runtime.block_on([&] { return thrown_by(all(slow, bad, worse)); }) == "bad");
  CHECK(lifetimes.made() == 1);
  CHECK(lifetimes.ended() == 1);
}

TEST_CASE("coroutines of all() that do not wait cost no task, and one that waits makes tasks of those after it") {
  Runtime runtime(test_options(1));  // no other worker takes what is on offer
  runtime.block_on([&]() -> Task<> {
    const std::uint64_t before = tasks_spawned(runtime);
    const int sum = co_await sum_leaves(0, 6, -1);
    CHECK(sum == 63 * 64 / 2);
    CHECK(tasks_spawned(runtime) == before);

    const int with_waits = co_await sum_leaves(0, 6, 0);  // all others have not begun: one for each level
    CHECK(with_waits == sum);
    CHECK(tasks_spawned(runtime) == before + 6);
  });
}

TEST_CASE("each coroutine of nested calls of all() may be the one that waits") {
  for (const std::uint32_t workers : {1u, 3u}) {
    Runtime runtime(test_options(workers));
    for (int waits_at = 0; waits_at != 16; ++waits_at) {
      CAPTURE(waits_at);
      CHECK(runtime.block_on([&] { return sum_leaves(0, 4, waits_at); }) == 120);
    }
    CHECK(runtime.block_on([] { return nest(200); }) == 200);  // more calls than a worker keeps on offer
  }
}

TEST_CASE("another worker takes a coroutine of all() while one before it computes") {
  Runtime runtime(test_options(2));
  for (int depth = 0; depth != 3; ++depth) {
    CAPTURE(depth);
    base::Atomic<int> met{0};
    const auto meet = [&]() -> Task<> {
      met.fetch_add(1, base::relaxed);  // relaxed: a flag
      while (met.load(base::relaxed) != 2) {
      }
      co_return;
    };
    runtime.block_on([&]() -> Task<> {
      auto both = [&]() -> Task<> { co_await all(meet, meet); };
      auto quick = [] { return give(0ns, 1); };
      if (depth == 0) {
        co_await both();
      } else if (depth == 1) {
        co_await all(quick, both);
      } else {
        co_await all(both, quick, quick);
      }
    });
    CHECK(met.load(base::relaxed) == 2);  // relaxed: all tasks are done
  }
}

TEST_CASE("calls of all() that never wait let other tasks run") {
  Runtime runtime(test_options(1));
  bool ran = false;
  runtime.block_on([&]() -> Task<> {
    const auto run = [](Borrowed<bool> flag) -> Task<> {
      flag.get() = true;
      co_return;
    };
    JoinHandle<void> other = spawn(run, borrow(ran));
    for (std::uint32_t i = 0; i != sched::OperationBudget::kInlineCalls; ++i) {
      co_await all([]() -> Task<> { co_return; }, []() -> Task<> { co_return; });
    }
    CHECK_FALSE(ran);
    co_await all([]() -> Task<> { co_return; });
    CHECK(ran);
    co_await std::move(other);
  });
}

TEST_CASE("if a coroutine of all() throws, those that have not begun do not begin") {
  Runtime runtime(test_options(1));
  Lifetimes lifetimes;
  bool began = false;
  const auto first = []() -> Task<int> {
    throw std::runtime_error("first");
    co_return 0;
  };
  const auto second = [&](Lifetimes::Token) -> Task<> {
    began = true;
    co_return;
  };
  CHECK(runtime.block_on([&] { return thrown_by(all(first, [&] { return second(lifetimes.token()); })); }) == "first");
  CHECK_FALSE(began);
  CHECK(lifetimes.made() == 1);
  CHECK(lifetimes.ended() == 1);
  CHECK(runtime.block_on([] { return thrown_by(all(give_immovable, [] { return give(0ns, 1); })); }) == "moved");
  CHECK(runtime.block_on([] { return thrown_by(all([] { return wait_for(1ms); }, give_immovable)); }) == "moved");
}

TEST_CASE("whichever coroutine of all() fails, those that wait are cancelled, and only they") {
  Runtime runtime(test_options());
  for (std::size_t failing = 0; failing != 3; ++failing) {
    CAPTURE(failing);
    Lifetimes lifetimes;
    const auto child = [&](std::size_t index) -> Task<> {
      const auto token = lifetimes.token();
      co_await sleep_for(1ms);
      if (index == failing) throw std::runtime_error("child");
      co_await sleep_for(1h);
    };
    const auto parent = [&]() -> Task<std::string> {
      const auto call = [&]() -> Task<> {
        co_await all([&] { return child(0); }, [&] { return child(1); }, [&] { return child(2); });
      };
      std::string thrown = co_await thrown_by(call());
      co_await sleep_for(1ms);  // throws Cancelled if the task is still cancelled
      co_return thrown;
    };
    CHECK(runtime.block_on(parent) == "child");
    CHECK(lifetimes.made() == 3);
    CHECK(lifetimes.ended() == 3);
  }
}

TEST_CASE("a coroutine of all() that has ended gives up its parameters, while others still run") {
  Runtime runtime(test_options());
  Mutex mutex;
  const auto hold_lock = [](Mutex::Guard, bool waits) -> Task<> {
    if (waits) co_await sleep_for(1ms);
  };
  for (const bool waits : {false, true}) {
    runtime.block_on([&]() -> Task<> {
      Mutex::Guard guard = co_await mutex.lock();
      auto first = [&] { return hold_lock(std::move(guard), waits); };
      auto second = [&]() -> Task<> { const Mutex::Guard mine = co_await mutex.lock(); };
      co_await all(first, second);
    });
  }
}

TEST_CASE("a call of all() in a failed scope and in a shield") {
  Runtime runtime(test_options());
  bool finished = false;
  const auto body = [&](Scope& scope) -> Task<> {
    scope.spawn(fail, 1ms, std::string("scope"));
    const auto shielded = [&]() -> Task<> {
      co_await all([] { return wait_for(5ms); }, [] { return wait_for(5ms); });
      finished = true;
    };
    co_await shield(shielded);
    co_await all([] { return wait_for(1h); }, [] { return wait_for(1h); });
  };
  CHECK(runtime.block_on([&] { return thrown_by(with_scope(body)); }) == "scope");
  CHECK(finished);
}

TEST_CASE("race() returns the first result, and the losers are cancelled and destroyed") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  runtime.block_on([&]() -> Task<> {
    auto slow = [&] { return hold(lifetimes.token(), 1h); };
    auto quick = [] { return give(1ms, 7); };
    const auto second = co_await race(slow, quick);
    CHECK(second.index() == 1);
    CHECK(std::get<1>(second) == 7);
    CHECK(lifetimes.ended() == 1);
    const auto first = co_await race(quick, slow, slow);
    CHECK(first.index() == 0);
    CHECK(lifetimes.ended() == lifetimes.made());
  });
  auto slow = [&] { return hold(lifetimes.token(), 1h); };
  auto bad = [] { return fail(1ms, "bad"); };
  CHECK(runtime.block_on([&] { return thrown_by(race(slow, bad)); }) == "bad");
  CHECK(lifetimes.ended() == lifetimes.made());
}

TEST_CASE("within() returns the value before the limit, and timed_out after it, never earlier") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  runtime.block_on([&]() -> Task<> {
    auto quick = [] { return give(1ms, 7); };
    const Result<int> in_time = co_await within(1h, quick);
    CHECK(in_time == 7);

    auto slow = [&] { return hold(lifetimes.token(), 1h); };
    const std::int64_t start_ns = sched::now_ns();
    const Result<void> late = co_await within(5ms, slow);
    CHECK(late == error(std::errc::timed_out));
    CHECK(sched::now_ns() - start_ns >= 5'000'000);
    CHECK(lifetimes.ended() == 1);

    const Result<void> at_once = co_await within(0ms, slow);
    CHECK(at_once == error(std::errc::timed_out));
    CHECK(lifetimes.ended() == lifetimes.made());

    auto inner = [&] { return within(1h, slow); };
    const auto nested = co_await within(2ms, inner);
    CHECK(nested == error(std::errc::timed_out));
    CHECK(lifetimes.ended() == lifetimes.made());
  });
  auto bad = [] { return fail(1ms, "bad"); };
  CHECK(runtime.block_on([&] { return thrown_by(within(1h, bad)); }) == "bad");
}

TEST_CASE("within() awaits a task that ignores its limit") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    auto work = [] { return give(30ms, 5); };
    auto must_finish = [work] { return shield(work); };
    const std::int64_t start_ns = sched::now_ns();
    const Result<int> late = co_await within(1ms, must_finish);
    CHECK(sched::now_ns() - start_ns >= 30'000'000);
    CHECK(late == 5);  // the task ran to its end
  });
}

TEST_CASE("shield() delays a cancel until its task is done") {
  Runtime runtime(test_options());
  base::Atomic<int> steps{0};
  const auto shielded = [](Borrowed<base::Atomic<int>> steps) -> Task<> {
    auto work = [steps]() -> Task<> {
      co_await sleep_for(20ms);
      steps.get().fetch_add(1, base::relaxed);  // relaxed: read when the task is done
      co_await yield();
      co_await sleep_for(1ms);
      steps.get().fetch_add(1, base::relaxed);  // relaxed: as above
    };
    co_await shield(work);
    co_await sleep_for(1h);                     // the delayed cancel takes effect here
    steps.get().fetch_add(100, base::relaxed);  // relaxed: as above
  };
  for (const auto before_cancel : {0ms, 2ms, 10ms}) {
    steps.store(0, base::relaxed);  // relaxed: no other thread accesses it
    auto task = runtime.spawn(shielded, borrow(steps));
    std::this_thread::sleep_for(before_cancel + 2ms);
    task.cancel();
    CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
    CHECK(steps.load(base::relaxed) == 2);  // relaxed: all tasks are done
  }
}

TEST_SUITE_END();

}  // namespace volt
