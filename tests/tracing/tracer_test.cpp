// SPDX-License-Identifier: MIT

#include "tracing/tracer.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "runtime/borrowed.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt::tracing {
namespace {

using test::ManualClockRuntime;
using namespace std::chrono_literals;

// A trace id whose last eight bytes are `low`.
SpanContext remote(std::uint64_t low, bool sampled) {
  SpanContext context{.span_id = {std::byte{7}}, .sampled = sampled};
  context.trace_id[0] = std::byte{1};
  for (std::size_t i = 0; i != 8; ++i) context.trace_id[15 - i] = static_cast<std::byte>(low >> 8 * i);
  return context;
}

SpanData named(std::string name) {
  SpanData span;
  span.name = std::move(name);
  return span;
}

}  // namespace

TEST_SUITE_BEGIN("tracing/tracer");

TEST_CASE("the ratio decides by the trace id, and a parent by its flag") {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;  // of the 64 bits, of which the last is ignored
  struct Case {
    const char* why;
    Sampling sampling;
    std::uint64_t low;
    bool parent_sampled;
    bool want;
  };
  const Case cases[] = {
      {"all are recorded", {.ratio = 1, .parent_based = false}, ~std::uint64_t{0}, false, true},
      {"none is recorded", {.ratio = 0, .parent_based = false}, 0, true, false},
      {"just below the bound", {.ratio = 0.5, .parent_based = false}, kHalf - 1, false, true},
      {"at the bound", {.ratio = 0.5, .parent_based = false}, kHalf, false, false},
      {"just below a smaller bound", {.ratio = 0.25, .parent_based = false}, kHalf / 2 - 1, false, true},
      {"at a smaller bound", {.ratio = 0.25, .parent_based = false}, kHalf / 2, true, false},
      {"the parent is recorded", {.ratio = 0}, ~std::uint64_t{0}, true, true},
      {"the parent is not recorded", {.ratio = 1}, 0, false, false},
  };
  for (const Case& it : cases) {
    CAPTURE(it.why);
    Tracer tracer({.sampling = it.sampling});
    const SpanContext parent = remote(it.low, it.parent_sampled);
    const SpanContext span = tracer.begin(&parent);
    CHECK(span.sampled == it.want);
    CHECK(span.trace_id == parent.trace_id);
    CHECK(span.span_id != parent.span_id);
    CHECK_FALSE(span.random_trace_id);
  }
}

TEST_CASE("about the ratio of new traces is recorded") {
  Tracer tracer({.sampling = {.ratio = 0.25}});
  ManualClockRuntime manual;
  int sampled = 0;
  manual.runtime.block_on([&]() -> Task<> {
    for (int i = 0; i != 10'000; ++i) {
      const SpanContext span = tracer.begin(nullptr);
      CHECK(span.random_trace_id);
      sampled += span.sampled ? 1 : 0;
    }
    co_return;
  });
  CHECK(sampled > 2000);  // 11 standard deviations from the mean
  CHECK(sampled < 3000);
}

TEST_CASE("a ratio outside 0 to 1, and an empty queue, are refused") {
  for (const double ratio : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(Tracer({.sampling = {.ratio = ratio}}), std::invalid_argument);
  }
  CHECK_THROWS_AS(Tracer({.queue_max = 0}), std::invalid_argument);
}

TEST_CASE("a full queue drops further spans and counts them") {
  Tracer tracer({.queue_max = 2});
  for (const char* name : {"first", "second", "third"}) tracer.finish(named(name));
  CHECK(tracer.state().recorded == 3);
  CHECK(tracer.state().dropped == 1);
  CHECK(tracer.state().waiting == 2);
  const auto first = tracer.take(1);
  REQUIRE(first.size() == 1);
  CHECK(first[0].name == "first");
  tracer.finish(named("fourth"));
  const auto rest = tracer.take(10);
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].name == "second");
  CHECK(rest[1].name == "fourth");
  CHECK(tracer.state().waiting == 0);
}

TEST_CASE("wait_for ends when so many spans wait, or at its limit") {
  Tracer tracer;
  ManualClockRuntime manual;
  int waits = 0;
  auto waiting = manual.runtime.spawn(
      [](Borrowed<Tracer> borrowed, Borrowed<int> ended) -> Task<> {
        for (int i = 0; i != 3; ++i) {
          co_await borrowed->wait_for(2, 10s);
          ++*ended;
        }
      },
      borrow(tracer), borrow(waits));
  manual.runtime.advance_clock(9s);
  CHECK(waits == 0);
  tracer.finish(named("first"));
  manual.runtime.advance_clock(0s);
  CHECK(waits == 0);
  tracer.finish(named("second"));
  manual.runtime.advance_clock(0s);
  CHECK(waits == 3);  // the spans still wait
  CHECK(waiting.done());
  static_cast<void>(tracer.take(10));
  auto limited =
      manual.runtime.spawn([](Borrowed<Tracer> borrowed) { return borrowed->wait_for(2, 10s); }, borrow(tracer));
  manual.runtime.advance_clock(9s);
  CHECK_FALSE(limited.done());
  manual.runtime.advance_clock(2s);
  CHECK(limited.done());
}

TEST_SUITE_END();

}  // namespace volt::tracing
