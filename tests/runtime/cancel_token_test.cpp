// SPDX-License-Identifier: MIT

#include "runtime/cancel_token.h"

#include <doctest/doctest.h>

#include <optional>
#include <thread>
#include <vector>

#include "runtime/select.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

Task<> wait(CancelToken token) { co_await token.cancelled(); }

Task<bool> wait_or_tire(CancelToken token, std::chrono::nanoseconds patience) {
  auto waiting = token.cancelled();
  auto tiring = sleep_for(patience);
  const auto chosen = co_await select(waiting, tiring);
  co_return chosen.index() == 0;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/cancel_token");

TEST_CASE("a cancel reaches pollers, waiters and callbacks, once") {
  ManualClockRuntime bench;
  const CancelSource source;
  const CancelToken token = source.token();
  int calls = 0;
  const CancelCallback before(token, [&] { ++calls; });
  {
    const CancelCallback gone(token, [&] { calls += 100; });
  }
  auto waiting = bench.runtime.spawn(wait, token);
  bench.settle();
  CHECK(!waiting.done());
  CHECK(!token.cancel_requested());
  CHECK(source.cancel());
  CHECK(!source.cancel());
  CHECK(token.cancel_requested());
  CHECK(calls == 1);
  bench.settle();
  CHECK(waiting.done());
  const CancelCallback after(token, [&] { ++calls; });
  CHECK(calls == 2);
  auto late = bench.runtime.spawn(wait, token);
  bench.settle();
  CHECK(late.done());
}

TEST_CASE("a child source is cancelled with its parent, but not the parent with its child") {
  const CancelSource parent;
  const CancelSource first(parent.token());
  const CancelSource second(parent.token());
  CHECK(first.cancel());
  CHECK(first.cancel_requested());
  CHECK(!parent.cancel_requested());
  CHECK(!second.cancel_requested());
  CHECK(parent.cancel());
  CHECK(second.cancel_requested());
  const CancelSource late(parent.token());
  CHECK(late.cancel_requested());
}

TEST_CASE("tokens outlive their sources, and a grandchild is cancelled after its parent source is destroyed") {
  ManualClockRuntime bench;
  const CancelSource source;
  std::optional<CancelToken> grandchild;
  {
    const CancelSource child(source.token());
    grandchild = CancelSource(child.token()).token();
  }
  auto waiting = bench.runtime.spawn(wait, *grandchild);
  bench.settle();
  CHECK(!waiting.done());
  source.cancel();
  bench.settle();
  CHECK(waiting.done());
}

TEST_CASE("a task that awaits a token may itself be cancelled") {
  ManualClockRuntime bench;
  const CancelSource source;
  auto waiting = bench.runtime.spawn(wait, source.token());
  bench.settle();
  waiting.cancel();
  CHECK(bench.runtime.block_on(outcome_of<void>, std::move(waiting)) == Outcome::cancelled);
  CHECK(source.cancel());
}

TEST_CASE("cancels of token and task may race with the end of a select on any thread") {
  Runtime runtime(test_options());
  const std::uint64_t rounds = test::stress_rounds(2'000);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    const CancelSource source;
    auto waiting = runtime.spawn(wait, source.token());
    auto child = runtime.spawn(wait, CancelSource(source.token()).token());
    auto choosing = runtime.spawn(wait_or_tire, source.token(), std::chrono::nanoseconds(round % 200'000));
    auto cancelled = runtime.spawn(wait, source.token());
    for (std::uint64_t i = 0; i != round % 64; ++i) base::spin_pause();
    std::thread other([&] { cancelled.cancel(); });
    CHECK(source.cancel());
    other.join();
    REQUIRE(test::eventually([&] { return waiting.done() && child.done() && choosing.done() && cancelled.done(); }));
    waiting.task().take();
    child.task().take();
  }
}

TEST_SUITE_END();

}  // namespace volt
