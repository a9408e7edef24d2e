// SPDX-License-Identifier: MIT

#include "http/ops/internal/history.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>

namespace volt::http::ops {
namespace {

using namespace std::chrono_literals;

// A snapshot `at` seconds after the start, until which one route had these responses, each of which took 1 ms.
PageSnapshot snapshot_at(double at, std::uint64_t requests, std::uint64_t failed) {
  PageSnapshot snapshot{.at_seconds = at, .unix_seconds = 1'000'000 + at};
  RouteSnapshot route{.requests = requests, .failed = failed};
  route.buckets[server::bucket_of(1ms)] = requests;
  snapshot.routes.push_back(route);
  snapshot.cpu_seconds = at / 2;
  return snapshot;
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/history");

TEST_CASE("a point has the rates between two snapshots") {
  History history;
  history.add(snapshot_at(0, 100, 0));
  CHECK(history.report().points.empty());
  PageSnapshot next = snapshot_at(10, 300, 20);
  next.refused.queue_delay = 50;
  next.refused.connections = 7;  // these only waited
  history.add(next);
  const HistoryReport report = history.report();
  REQUIRE(report.points.size() == 1);
  const HistoryPoint& point = report.points.front();
  CHECK(point.end_seconds == doctest::Approx(1'000'010));
  CHECK(point.responses_per_second == doctest::Approx(20));
  CHECK(point.failed_per_second == doctest::Approx(2));
  CHECK(point.refused_per_second == doctest::Approx(5));
  CHECK(point.p50_seconds == doctest::Approx(0.001).epsilon(0.12));
  CHECK(point.processors == doctest::Approx(0.5));
}

TEST_CASE("the history keeps an hour and drops the oldest points") {
  History history;
  const auto points = static_cast<std::uint64_t>(History::kPointsMax);
  for (std::uint64_t i = 0; i != points + 6; ++i) history.add(snapshot_at(static_cast<double>(10 * i), i, 0));
  const HistoryReport report = history.report();
  CHECK(static_cast<double>(report.points.size()) * report.interval_seconds == doctest::Approx(3600));
  CHECK(report.points.front().end_seconds == doctest::Approx(1'000'060));
  CHECK(report.points.back().end_seconds == doctest::Approx(1'000'000 + 10 * static_cast<double>(points + 5)));
}

TEST_SUITE_END();

}  // namespace volt::http::ops
