// SPDX-License-Identifier: MIT

#include "runtime/concurrent.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <variant>

#include "runtime/borrowed.h"
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
    auto wait = [] { return wait_for(50ms); };
    co_await all(wait, wait, wait, wait, wait, wait, wait, wait);
  });
  CHECK(sched::now_ns() - start_ns < 8 * 50'000'000);
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
