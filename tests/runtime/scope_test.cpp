// SPDX-License-Identifier: MIT

#include "runtime/scope.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/notify.h"
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
using Count = Borrowed<base::Atomic<int>>;

Task<> count_after(Count count, std::chrono::milliseconds duration) {
  co_await sleep_for(duration);
  count.get().fetch_add(1, base::relaxed);  // relaxed: read after the end of the scope
}

Task<> hold_for(Lifetimes::Token, std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<> hold_until(Lifetimes::Token, Borrowed<Notify> end) { co_await end.get().notified(); }

Task<> hold(std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

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

// Returns the exception of `with_scope(body)` as thrown_by() does, and whether the task can await afterwards.
template <class Body>
Task<std::string> thrown_by_and_after(Body body) {
  std::string thrown = co_await thrown_by(std::move(body));
  co_await sleep_for(1ms);  // throws Cancelled if the task is still cancelled
  co_return thrown;
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
  const auto outer = [](Borrowed<Lifetimes> lifetimes) -> Task<> {
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
  auto task = runtime.spawn(outer, borrow(lifetimes));
  CHECK(test::eventually([&] { return lifetimes.made() == 2; }));
  task.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  CHECK(lifetimes.ended() == 2);
}

TEST_CASE("a child that fails cancels the body and its siblings at once, but not the task after the scope") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  std::string seen;
  const auto body = [&](Scope& scope) -> Task<> {
    scope.spawn(hold_for, lifetimes.token(), 1h);
    scope.spawn(fail_after, 1ms, "child");
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {  // decided: the next await throws it as well
      seen = "cancelled";
    }
    try {
      co_await yield();
    } catch (const Cancelled&) {  // decided: the body ends as if by itself
      seen += " twice";
    }
  };
  CHECK(runtime.block_on(thrown_by_and_after<decltype(body)>, body) == "child");
  CHECK(seen == "cancelled twice");
  CHECK(lifetimes.ended() == 1);
}

TEST_CASE("a body that a child's failure interrupts in any kind of wait ends, and so do the tasks that it waits for") {
  Runtime runtime(test_options());
  using Wait = Task<> (*)();
  const Wait waits[] = {
      []() -> Task<> { co_await sleep_for(1h); },
      []() -> Task<> { co_await all([] { return hold(1h); }, [] { return hold(1h); }); },
      []() -> Task<> { co_await race([] { return hold(1h); }, [] { return hold(2h); }); },
      []() -> Task<> { static_cast<void>(co_await within(1h, [] { return hold(2h); })); },
      []() -> Task<> {
        co_await spawn(hold, 2ms);
        co_await sleep_for(1h);
      },
      []() -> Task<> {
        co_await with_scope([](Scope& inner) -> Task<> {
          inner.spawn(hold, 1h);
          co_return;
        });
      },
      []() -> Task<> {
        co_await with_scope([](Scope& inner) -> Task<> {
          inner.spawn(hold, 1h);
          co_await sleep_for(1h);
        });
      },
      []() -> Task<> {
        for (;;) co_await yield();
      },
  };
  for (const Wait wait : waits) {
    const auto body = [wait](Scope& scope) -> Task<> {
      scope.spawn(fail_after, 2ms, "child");
      co_await wait();
    };
    CHECK(runtime.block_on(thrown_by_and_after<decltype(body)>, body) == "child");
  }
}

TEST_CASE("the failure of an inner scope leaves the body of the outer scope alone") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  Notify end;
  const auto outer = [&](Scope& scope) -> Task<> {
    scope.spawn(hold_until, lifetimes.token(), borrow(end));
    const auto inner = [](Scope& within) -> Task<> {
      within.spawn(fail_after, 1ms, "inner");
      co_await sleep_for(1h);
    };
    CHECK(co_await thrown_by_and_after(inner) == "inner");
    CHECK(lifetimes.ended() == 0);
    end.notify_one();
  };
  CHECK(runtime.block_on(thrown_by_and_after<decltype(outer)>, outer) == "");
  CHECK(lifetimes.ended() == 1);
}

TEST_CASE("if the inner scope ends while the outer one has failed, the outer body is still cancelled") {
  Runtime runtime(test_options());
  for (int round = 0; round != 50; ++round) {
    bool ended = false;
    const auto outer = [&](Scope& scope) -> Task<> {
      scope.spawn(fail_after, 1ms, "outer");
      const auto inner = [](Scope& within) -> Task<> {
        within.spawn(fail_after, 1ms, "inner");
        co_await sleep_for(1h);
      };
      static_cast<void>(co_await thrown_by(inner));
      co_await sleep_for(1h);
      ended = true;
    };
    CHECK(runtime.block_on(thrown_by_and_after<decltype(outer)>, outer) == "outer");
    CHECK_FALSE(ended);
  }
}

TEST_CASE("a shield in the body delays the cancellation, a shield around the scope does not") {
  Runtime runtime(test_options());
  bool finished = false;
  const auto shields = [&](Scope& scope) -> Task<> {
    scope.spawn(fail_after, 1ms, "child");
    co_await shield([&]() -> Task<> {
      co_await sleep_for(10ms);
      finished = true;
    });
    co_await sleep_for(1h);
  };
  CHECK(runtime.block_on(thrown_by_and_after<decltype(shields)>, shields) == "child");
  CHECK(finished);

  const auto waits = [](Scope& scope) -> Task<> {
    scope.spawn(fail_after, 1ms, "child");
    co_await sleep_for(1h);
  };
  const auto shielded = [&]() -> Task<std::string> { return shield([&] { return thrown_by_and_after(waits); }); };
  CHECK(runtime.block_on(shielded) == "child");
}

TEST_CASE("a child that is spawned after the failure is cancelled, one that is spawned after cancel() is not") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  const auto fails = [&](Scope& scope) -> Task<> {
    scope.spawn(fail_after, 0ms, "child");
    try {
      co_await sleep_for(1h);
    } catch (const Cancelled&) {  // decided: the body goes on to spawn
    }
    scope.spawn(hold_for, lifetimes.token(), 1h);
  };
  CHECK(runtime.block_on(thrown_by_and_after<decltype(fails)>, fails) == "child");
  CHECK(lifetimes.ended() == 1);

  base::Atomic<int> count{0};
  const auto cancels = [&](Scope& scope) -> Task<> {
    scope.spawn(hold_for, lifetimes.token(), 1h);
    scope.cancel();
    co_await sleep_for(5ms);
    scope.spawn(count_after, Count(count), 5ms);
  };
  CHECK(runtime.block_on(thrown_by_and_after<decltype(cancels)>, cancels) == "");
  CHECK(count.load(base::relaxed) == 1);  // relaxed: all tasks are done
}

TEST_CASE("a task that is cancelled while its scope fails stays cancelled after the scope") {
  Runtime runtime(test_options());
  for (int round = 0; round != 100; ++round) {
    const auto task = []() -> Task<std::string> {
      const auto body = [](Scope& scope) -> Task<> {
        scope.spawn(fail_after, 1ms, "child");
        co_await sleep_for(1h);
      };
      static_cast<void>(co_await thrown_by(body));
      co_await sleep_for(1h);
      co_return "";
    };
    auto handle = runtime.spawn(task);
    std::this_thread::sleep_for(std::chrono::microseconds(40 * round));
    handle.cancel();
    CHECK(runtime.block_on(outcome_of<std::string>, std::move(handle)) == Outcome::cancelled);
  }
}

TEST_SUITE_END();

}  // namespace volt
