// SPDX-License-Identifier: MIT

#include "runtime/scope.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

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
using Count = std::reference_wrapper<base::Atomic<int>>;

Task<> count_after(Count count, std::chrono::milliseconds duration) {
  co_await sleep_for(duration);
  count.get().fetch_add(1, base::relaxed);  // relaxed: read after the end of the scope
}

Task<> hold_for(Lifetimes::Token, std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<> fail_after(std::chrono::milliseconds duration, std::string why) {
  co_await sleep_for(duration);
  throw std::runtime_error(why);
}

Task<int> value_after(std::chrono::milliseconds duration) {
  co_await sleep_for(duration);
  co_return 1;
}

// Returns the message of the exception of `with_scope(body)`; empty if it threw none.
template <class Body>
Task<std::string> thrown_by(Body body) {
  try {
    co_await with_scope(std::move(body));
  } catch (const std::runtime_error& error) {  // decided: the message is the result
    co_return error.what();
  } catch (const Cancelled&) {  // decided: a cancel is a result too
    co_return "cancelled";
  }
  co_return "";
}

}  // namespace

TEST_SUITE_BEGIN("runtime/scope");

TEST_CASE("a scope ends when its body and all its children are done") {
  Runtime runtime(test_options());
  base::Atomic<int> count{0};
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != 20; ++i) scope.spawn(count_after, Count(count), std::chrono::milliseconds(i % 4));
      scope.spawn(value_after, 1ms);  // the scope drops the value
      co_await sleep_for(1ms);
      scope.spawn(count_after, Count(count), 1ms);
    };
    co_await with_scope(body);
    CHECK(count.load(base::relaxed) == 21);  // relaxed: all tasks are done
    auto nothing = [](Scope&) -> Task<> { co_return; };
    co_await with_scope(nothing);
  });
}

TEST_CASE("the first exception ends a scope: the other children are cancelled and awaited, and it is rethrown") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  const auto child_fails = [&](Scope& scope) -> Task<> {
    scope.spawn(hold_for, lifetimes.token(), 1h);
    scope.spawn(fail_after, 2ms, "child");
    scope.spawn(fail_after, 1h, "never");
    co_return;
  };
  CHECK(runtime.block_on(thrown_by<decltype(child_fails)>, child_fails) == "child");
  CHECK(lifetimes.ended() == lifetimes.made());

  const auto body_fails = [&](Scope& scope) -> Task<> {
    scope.spawn(hold_for, lifetimes.token(), 1h);
    co_await sleep_for(1ms);
    throw std::runtime_error("body");
  };
  CHECK(runtime.block_on(thrown_by<decltype(body_fails)>, body_fails) == "body");
  CHECK(lifetimes.ended() == lifetimes.made());
}

TEST_CASE("a scope that cancels its children ends without an exception") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  const auto body = [&](Scope& scope) -> Task<> {
    for (int i = 0; i != 10; ++i) scope.spawn(hold_for, lifetimes.token(), 1h);
    co_await sleep_for(1ms);
    scope.cancel();
  };
  CHECK(runtime.block_on(thrown_by<decltype(body)>, body) == "");
  CHECK(lifetimes.ended() == 10);
}

TEST_CASE("cancelling the task of a scope cancels its children, at any depth") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  const auto outer = [](std::reference_wrapper<Lifetimes> lifetimes) -> Task<> {
    auto body = [lifetimes](Scope& scope) -> Task<> {
      scope.spawn(hold_for, lifetimes.get().token(), 1h);
      auto inner = [lifetimes](Scope& within) -> Task<> {
        within.spawn(hold_for, lifetimes.get().token(), 1h);
        co_return;
      };
      co_await with_scope(inner);
    };
    co_await with_scope(body);
  };
  auto task = runtime.spawn(outer, std::ref(lifetimes));
  CHECK(test::eventually([&] { return lifetimes.made() == 2; }));
  task.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  CHECK(lifetimes.ended() == 2);
}

TEST_SUITE_END();

}  // namespace volt
