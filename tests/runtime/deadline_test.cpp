// SPDX-License-Identifier: MIT

#include "runtime/deadline.h"

#include <doctest/doctest.h>

#include "tests/support/manual_clock_runtime.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using namespace std::chrono_literals;

Task<> wait(std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

}  // namespace

TEST_SUITE_BEGIN("runtime/deadline");

TEST_CASE("several waits share the remaining time of one deadline") {
  ManualClockRuntime bench;
  auto body = []() -> Task<> {
    const Deadline deadline = Deadline::after(1s);
    CHECK(!deadline.passed());
    CHECK(deadline < deadline + 1ns);
    auto first = [] { return wait(600ms); };
    const Result<void> in_time = co_await within(deadline, first);
    CHECK(in_time);
    CHECK(deadline.left() <= 400ms);
    auto second = [] { return wait(600ms); };
    const Result<void> late = co_await within(deadline, second);
    CHECK(late.error() == std::errc::timed_out);
    CHECK(deadline.passed());
    CHECK(deadline.left() == 0ns);
    co_await sleep_until(deadline + 1s);
    CHECK((deadline + 1s).passed());
  };
  auto waiting = bench.runtime.spawn(body);
  bench.runtime.advance_clock(10s);
  bench.result_of(std::move(waiting));
}

TEST_SUITE_END();

}  // namespace volt
