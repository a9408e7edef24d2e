// SPDX-License-Identifier: MIT

#include "runtime/wall_clock.h"

#include <doctest/doctest.h>

#include <chrono>

#include "runtime/blocking.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using Moment = std::chrono::system_clock::time_point;

constexpr std::chrono::sys_seconds kNewYear = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

Task<Moment> read_wall_time() { co_return wall_now(); }
Task<> set_wall_time() {
  set_wall_clock(kNewYear);
  co_return;
}
Task<Moment> read_wall_time_on_pool() {
  const Moment moment = co_await blocking([] { return wall_now(); });
  co_return moment;
}
Task<std::chrono::sys_seconds> sleep_and_read() {
  co_await sleep_for(24h);
  co_return wall_second();
}

bool is_near_system_time(Moment moment) {
  return std::chrono::abs(std::chrono::system_clock::now() - moment) < std::chrono::minutes(5);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/wall_clock");

TEST_CASE("the wall clock of a manual clock stands still, can be set, and advances with it") {
  test::ManualClockRuntime clock;
  const Moment begin = clock.runtime.block_on(read_wall_time);
  CHECK(is_near_system_time(begin));
  CHECK(clock.runtime.block_on(read_wall_time) == begin);
  clock.runtime.advance_clock(1h);
  CHECK(std::chrono::abs(clock.runtime.block_on(read_wall_time) - begin - 1h) < 1s);

  clock.runtime.block_on(set_wall_time);
  CHECK(clock.runtime.block_on(read_wall_time) == kNewYear);
  CHECK(clock.runtime.block_on(read_wall_time_on_pool) == kNewYear);
  auto woken = clock.runtime.spawn(sleep_and_read);
  clock.runtime.advance_clock(25h);
  CHECK(clock.result_of(std::move(woken)) == kNewYear + 24h);
}

TEST_CASE("without a manual clock, and outside of a runtime, the wall clock is that of the system") {
  Runtime runtime(test_options(1));
  CHECK(is_near_system_time(runtime.block_on(read_wall_time)));
  CHECK(is_near_system_time(wall_now()));
  CHECK(std::chrono::sys_seconds(wall_second()) <= wall_now());
}

}  // namespace volt
