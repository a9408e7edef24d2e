// SPDX-License-Identifier: MIT

#include "http/ops/internal/reports.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "tests/http/ops/ops_fixture.h"

namespace volt::http::ops {

using test::eventually;
using test::HttpClient;
using test::OpsFixture;

TEST_SUITE_BEGIN("http/ops/internal/reports");

TEST_CASE("the routes are listed in the order in which they were added") {
  OpsFixture ops_fixture;
  const auto report = ops_fixture.report<RoutesReport>("/routes");
  REQUIRE(report.routes.size() == 8);
  CHECK(report.routes[1].method == "POST");
  CHECK(report.routes[1].pattern == "/items/{id}");
  CHECK(report.routes[1].origin.starts_with("ops_fixture.h:"));
}

TEST_CASE("connections and tasks are reported with their state and their route") {
  OpsFixture ops_fixture;
  HttpClient idle = ops_fixture.client();
  CHECK(idle.ask("GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  CHECK(idle.ask("GET /items/2 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  HttpClient busy = ops_fixture.client();
  busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  ConnectionsReport report;
  const auto line_of = [&](std::optional<std::string> route) {
    return std::ranges::find(report.connections, route, &ConnectionLine::route);
  };
  REQUIRE(eventually([&] {
    report = ops_fixture.report<ConnectionsReport>("/connections");
    const auto slow = line_of("/slow");
    const auto other = line_of(std::nullopt);
    const auto none = report.connections.end();
    return report.open == 2 && slow != none && slow->state == "timer" && other != none && other->state == "idle";
  }));
  CHECK(line_of("/slow")->requests == 1);
  const auto other = line_of(std::nullopt);
  REQUIRE(other != report.connections.end());
  CHECK(other->state == "idle");
  CHECK(other->requests == 2);
  CHECK(other->client.starts_with("127.0.0.1:"));
  CHECK(other->age_seconds >= 0);
  CHECK(other->age_seconds < 60);

  const auto tasks = ops_fixture.report<TasksReport>("/tasks");
  CHECK(tasks.live == 4);
  REQUIRE(tasks.tasks.size() == 4);
  const auto serving = std::ranges::find(tasks.tasks, line_of("/slow")->task, &TaskLine::id);
  REQUIRE(serving != tasks.tasks.end());
  CHECK(serving->waits_for == "timer");
  CHECK(serving->connection);
  CHECK(serving->route == "/slow");
  CHECK(std::ranges::count(tasks.tasks, true, &TaskLine::connection) == 2);
  CHECK_FALSE(serving->awaits);

  const auto chains = ops_fixture.report<TasksReport>("/debug/tasks");
  const auto slow = std::ranges::find(chains.tasks, serving->id, &TaskLine::id);
  REQUIRE(slow != chains.tasks.end());
  REQUIRE(slow->awaits);
  REQUIRE(slow->awaits->size() >= 2);
  CHECK(slow->awaits->front().function.find("app_with_many_routes") != std::string::npos);
  CHECK(slow->awaits->front().at.starts_with("tests/http/ops/ops_fixture.h:"));
  CHECK(slow->awaits->back().function == slow->function);
  CHECK(slow->awaits->back().at.starts_with("http/server/"));
}

}  // namespace volt::http::ops
