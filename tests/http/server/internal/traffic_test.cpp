// SPDX-License-Identifier: MIT

#include "http/server/internal/traffic.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>

#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "tests/support/engine.h"

namespace volt::http::server {

using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kRoutes = 2;
constexpr int kTasks = 64;
constexpr int kRequestsEach = 500;

Task<> answer_many(std::shared_ptr<Traffic> traffic, unsigned first) {
  for (unsigned n = 0; n != kRequestsEach; ++n) {
    traffic->enter();
    co_await yield();
    traffic->record(1, Method::get, 200U + (first + n) % 10, 1us);
    traffic->leave();
  }
}

// Calls `count` with a Traffic, in a task.
template <class F>
TrafficSnapshot counted(F count) {
  Runtime runtime(test_options());
  Traffic traffic(kRoutes, runtime.worker_slots());
  runtime.block_on([&]() -> Task<> {
    count(traffic);
    co_return;
  });
  return traffic.snapshot();
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/traffic");

TEST_CASE("there is no series before the first request") {
  const TrafficSnapshot now = counted([](Traffic&) {});
  CHECK(now.series.empty());
  CHECK(now.active == 0);
  CHECK(now.stalls == std::vector<std::uint64_t>(kRoutes + 1));
}

TEST_CASE("there is a series for each route, method and status, in that order") {
  const TrafficSnapshot now = counted([](Traffic& traffic) {
    traffic.record(traffic.no_route(), std::nullopt, 400, 0ns);
    traffic.record(1, Method::get, 500, 1ms);
    traffic.record(1, Method::get, 200, 1ms);
    traffic.record(0, Method::post, 200, 2ms);
    traffic.record(1, Method::get, 200, 3ms);
    traffic.record(1, Method::head, 200, 1ms);
  });
  const struct {
    std::uint32_t route;
    std::optional<Method> method;
    unsigned status;
    std::uint64_t count;
    std::chrono::nanoseconds sum;
  } wanted[] = {
      {0, Method::post, 200, 1, 2ms}, {1, Method::get, 200, 2, 4ms},        {1, Method::get, 500, 1, 1ms},
      {1, Method::head, 200, 1, 1ms}, {kRoutes, std::nullopt, 400, 1, 0ns},
  };
  REQUIRE(now.series.size() == std::size(wanted));
  for (std::size_t i = 0; i != std::size(wanted); ++i) {
    CAPTURE(i);
    CHECK(now.series[i].route == wanted[i].route);
    CHECK(now.series[i].method == wanted[i].method);
    CHECK(now.series[i].status == wanted[i].status);
    CHECK(now.series[i].count() == wanted[i].count);
    CHECK(now.series[i].sum == wanted[i].sum);
  }
}

TEST_CASE("a bucket includes its upper bound") {
  const struct {
    std::chrono::nanoseconds duration;
    std::size_t bucket;
  } cases[] = {{0ns, 0},    {10us, 0}, {10us + 1ns, 1}, {12us, 1}, {100us, 14},     {101us, 15}, {100ms, 56},
               {101ms, 57}, {10s, 84}, {10s + 1ns, 85}, {60s, 95}, {60s + 1ns, 96}, {24h, 96}};
  for (const auto& one : cases) {
    CAPTURE(one.duration.count());
    const TrafficSnapshot now = counted([&](Traffic& traffic) { traffic.record(0, Method::get, 200, one.duration); });
    CHECK(now.series[0].buckets[one.bucket] == 1);
    CHECK(now.series[0].count() == 1);
  }
}

TEST_CASE("a snapshot adds up the counts of all workers while they count") {
  Runtime runtime(test_options());
  const auto traffic = std::make_shared<Traffic>(kRoutes, runtime.worker_slots());
  base::Atomic<bool> done{false};
  std::thread reader([&] {
    std::uint64_t before = 0;
    while (!done.load(base::acquire)) {
      std::uint64_t count = 0;
      for (const TrafficSeries& series : traffic->snapshot().series) count += series.count();
      CHECK(count >= before);
      before = count;
    }
  });
  runtime.block_on([&] {
    return with_scope([&](Scope& scope) -> Task<> {
      for (unsigned i = 0; i != kTasks; ++i) scope.spawn(answer_many, traffic, i);
      co_return;
    });
  });
  done.store(true, base::release);
  reader.join();
  const TrafficSnapshot now = traffic->snapshot();
  CHECK(now.active == 0);
  REQUIRE(now.series.size() == 10);
  for (const TrafficSeries& series : now.series) CHECK(series.count() == kTasks * kRequestsEach / 10);
}

TEST_CASE("requests in progress are those that have begun and not ended") {
  const TrafficSnapshot now = counted([](Traffic& traffic) {
    for (int i = 0; i != 3; ++i) traffic.enter();
    traffic.leave();
  });
  CHECK(now.active == 2);
}

TEST_CASE("phases are counted by route") {
  std::vector<RoutePhases> phases;
  static_cast<void>(counted([&](Traffic& traffic) {
    CHECK(traffic.phases().empty());
    traffic.record_phase(1, Phase::queue, 5us);
    traffic.record_phase(1, Phase::handler, 1ms);
    traffic.record_phase(1, Phase::handler, 2ms);
    traffic.record_phase(traffic.no_route(), Phase::send, 11us, 3);
    phases = traffic.phases();
  }));
  REQUIRE(phases.size() == 2);
  const auto histogram = [&](std::size_t i, Phase phase) { return phases[i].phases[static_cast<std::size_t>(phase)]; };
  CHECK(phases[0].route == 1);
  CHECK(histogram(0, Phase::queue).buckets[0] == 1);
  CHECK(histogram(0, Phase::queue).sum == 5us);
  CHECK(histogram(0, Phase::handler).sum == 3ms);
  CHECK(histogram(0, Phase::handler).buckets[bucket_of(1ms)] == 1);
  CHECK(histogram(0, Phase::send).sum == 0ns);
  CHECK(phases[1].route == kRoutes);
  CHECK(histogram(1, Phase::send).buckets[1] == 3);
  CHECK(histogram(1, Phase::send).sum == 33us);
}

TEST_CASE("stalls are counted by route") {
  const TrafficSnapshot now = counted([](Traffic& traffic) {
    traffic.count_stall(1);
    traffic.count_stall(1);
    traffic.count_stall(traffic.no_route());
    traffic.count_other_stall();
  });
  CHECK(now.other_stalls == 1);
  CHECK(now.stalls == std::vector<std::uint64_t>{0, 2, 1});
}

}  // namespace volt::http::server
