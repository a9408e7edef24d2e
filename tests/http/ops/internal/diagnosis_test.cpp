// SPDX-License-Identifier: MIT

#include "http/ops/internal/diagnosis.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace volt::http::ops {
namespace {

const std::vector<route::RouteInfo>& routes() {
  static const std::vector<route::RouteInfo> kRoutes = {
      {.method = Method::get, .host = {}, .pattern = "/report", .origin = {}},
      {.method = Method::post, .host = {}, .pattern = "/orders", .origin = {}},
  };
  return kRoutes;
}

// A server with two workers that has been well for `at` seconds, at 100 responses a second.
PageSnapshot well_at(double at) {
  PageSnapshot snapshot{.state = "ready", .at_seconds = at, .open_descriptors = 20, .descriptors_max = 1000};
  snapshot.workers.resize(2);
  snapshot.cpu_seconds = at * 0.5;
  snapshot.routes.push_back({.route = 0, .requests = static_cast<std::uint64_t>(at * 100)});
  return snapshot;
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/diagnosis");

TEST_CASE("nothing is found where nothing is wrong") { CHECK(diagnose(well_at(10), well_at(20), routes()).empty()); }

TEST_CASE("each fault gets a sentence") {
  const struct {
    std::string why;
    std::function<void(PageSnapshot&)> change;
    std::string severity;
    std::string words;
  } cases[] = {
      {"starting", [](PageSnapshot& now) { now.state = "starting"; }, "note", "is starting"},
      {"draining", [](PageSnapshot& now) { now.state = "draining"; }, "note", "is draining"},
      {"overload", [](PageSnapshot& now) { now.refused.queue_delay = 1; }, "error", "Overload: 1 requests per second"},
      {"heavy", [](PageSnapshot& now) { now.refused.heavy_delay = 1000; }, "error", "heavy routes: 100 requests"},
      {"memory", [](PageSnapshot& now) { now.refused.memory = 10; }, "error", "Memory is short"},
      {"one client", [](PageSnapshot& now) { now.refused.client_connections = 10; }, "warning", "One client"},
      {"waiting", [](PageSnapshot& now) { now.refused.connections = 10; }, "error", "New connections wait"},
      {"failures", [](PageSnapshot& now) { now.routes[0].failed = 10; }, "error", "GET /report responded with a 5xx"},
      {"a new route fails", [](PageSnapshot& now) { now.routes.push_back({.route = 1, .requests = 1, .failed = 1}); },
       "error", "POST /orders responded with a 5xx"},
      {"descriptors", [](PageSnapshot& now) { now.open_descriptors = 950; }, "warning", "950 of 1000"},
      {"stalls", [](PageSnapshot& now) { now.routes[0].stalls = 3; }, "warning", "block their workers: GET /report"},
      {"stalls without a route", [](PageSnapshot& now) { now.routes.push_back({.route = 2, .stalls = 3}); }, "warning",
       "block their workers: requests without a route"},
      {"database away", [](PageSnapshot& now) { now.unmet = {"db: no connection"}; }, "error", "condition db: no conn"},
      {"throttled", [](PageSnapshot& now) { now.throttled_seconds = 3; }, "warning", "for 30 % of the time"},
      {"busy neighbor", [](PageSnapshot& now) { now.workers[0].run_delay_seconds = 6; }, "warning",
       "wait for a processor for 30 %"},
      {"saturated", [](PageSnapshot& now) { now.cpu_seconds += 14; }, "warning", "Saturated"},
  };
  for (const auto& [why, change, severity, words] : cases) {
    CAPTURE(why);
    PageSnapshot now = well_at(20);
    change(now);
    const std::vector<Finding> findings = diagnose(well_at(10), now, routes());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == severity);
    CHECK(findings[0].text.contains(words));
  }
}

TEST_CASE("calls that wait for the blocking pool are reported if they still wait ten seconds later") {
  PageSnapshot before = well_at(10);
  PageSnapshot now = well_at(20);
  now.blocking_queue = 5;
  CHECK(diagnose(before, now, routes()).empty());
  before.blocking_queue = 1;
  REQUIRE(diagnose(before, now, routes()).size() == 1);
  CHECK(diagnose(before, now, routes())[0].text.starts_with("5 calls wait"));
}

TEST_CASE("a few failures among many responses are no finding") {
  PageSnapshot now = well_at(20);
  now.routes[0].failed = 9;  // of 1,000
  CHECK(diagnose(well_at(10), now, routes()).empty());
}

TEST_CASE("what was refused because of overload is not called a failure as well, and errors come before warnings") {
  PageSnapshot now = well_at(20);
  now.cpu_seconds += 14;
  now.refused.queue_delay = 100;
  now.routes[0].failed = 100;
  const std::vector<Finding> findings = diagnose(well_at(10), now, routes());
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].severity == "error");
  CHECK(findings[0].text.starts_with("Overload"));
  CHECK(findings[1].text.starts_with("Saturated"));
}

TEST_CASE("a route with few of the stalls is not named") {
  PageSnapshot now = well_at(20);
  now.routes[0].stalls = 100;
  now.routes.push_back({.route = 1, .stalls = 9});
  const std::vector<Finding> findings = diagnose(well_at(10), now, routes());
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text.contains("GET /report."));
}

TEST_CASE("at most three routes are named, the worst first") {
  std::vector<route::RouteInfo> many;
  PageSnapshot now = well_at(20);
  now.routes.clear();
  for (std::uint32_t i = 0; i != 5; ++i) {
    many.push_back({.method = Method::get, .host = {}, .pattern = "/r" + std::to_string(i), .origin = {}});
    now.routes.push_back({.route = i, .stalls = i + 1});
  }
  const std::vector<Finding> findings = diagnose(PageSnapshot{.at_seconds = 10}, now, many);
  REQUIRE(!findings.empty());
  CHECK(findings[0].text.contains("GET /r4, GET /r3, GET /r2 and 2 more"));
}

TEST_SUITE_END();

}  // namespace volt::http::ops
