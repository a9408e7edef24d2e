// SPDX-License-Identifier: MIT

#include "runtime/interval.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/cancel_token.h"
#include "runtime/select.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using namespace std::chrono_literals;

struct Tick {
  std::chrono::milliseconds at;
  std::uint64_t missed;
  bool operator==(const Tick&) const = default;
};

// Records ticks; the work after the second tick takes two and a half periods.
Task<std::vector<Tick>> tick_through(MissedTicks missed) {
  std::vector<Tick> ticks;
  const Deadline begin = Deadline::after(0s);
  Interval every(100ms, missed);
  for (int i = 0; i != 6; ++i) {
    const std::uint64_t left_out = co_await every.tick();
    const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline::after(0s) - begin);
    ticks.push_back({at, left_out});
    if (i == 1) co_await sleep_for(250ms);
  }
  co_return ticks;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/interval");

TEST_CASE("missed ticks are skipped, caught up or delayed") {
  struct Case {
    std::string why;
    MissedTicks missed;
    std::vector<std::chrono::milliseconds> at;
    std::uint64_t left_out;  // number of ticks skipped before the third tick
  };
  const Case cases[] = {
      {"skip: one late tick, then the original grid", MissedTicks::skip, {0ms, 100ms, 350ms, 400ms, 500ms, 600ms}, 1},
      {"catch up: all ticks, as soon as possible", MissedTicks::catch_up, {0ms, 100ms, 350ms, 350ms, 400ms, 500ms}, 0},
      {"delay: a new grid", MissedTicks::delay, {0ms, 100ms, 350ms, 450ms, 550ms, 650ms}, 0},
  };
  for (const auto& [why, missed, at, left_out] : cases) {
    CAPTURE(why);
    ManualClockRuntime bench;
    auto ticking = bench.runtime.spawn(tick_through, MissedTicks{missed});
    bench.runtime.advance_clock(2s);
    const std::vector<Tick> ticks = bench.result_of(std::move(ticking));
    REQUIRE(ticks.size() == at.size());
    for (std::size_t i = 0; i != at.size(); ++i) {
      CAPTURE(i);
      CHECK(ticks[i].at == at[i]);
      CHECK(ticks[i].missed == (i == 2 ? left_out : 0));
    }
  }
}

TEST_CASE("a tick that loses a select has not happened, and try_tick() takes a tick only when it is due") {
  ManualClockRuntime bench;
  auto body = []() -> Task<> {
    Interval every(100ms);
    CHECK(every.try_tick());
    CHECK(!every.try_tick());
    auto first = every.tick();
    auto sooner = sleep_for(10ms);
    const auto lost = co_await select(first, sooner);
    CHECK(lost.index() == 1);
    co_await sleep_for(50ms);
    CHECK(!every.try_tick());
    co_await sleep_for(50ms);
    auto due = every.tick();
    auto later = sleep_for(10ms);
    const auto won = co_await select(due, later);
    CHECK(won.index() == 0);
    every.restart();
    co_await sleep_for(99ms);
    CHECK(!every.try_tick());
  };
  auto ticking = bench.runtime.spawn(body);
  bench.runtime.advance_clock(1s);
  bench.result_of(std::move(ticking));
}

TEST_SUITE_END();

}  // namespace volt
