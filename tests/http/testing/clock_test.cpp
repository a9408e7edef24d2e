// SPDX-License-Identifier: MIT

// The clocks of a TestClient, and what of Volt follows its wall clock.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/middleware/session.h"
#include "http/testing/test_client.h"
#include "runtime/wall_clock.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kYear2026 = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

TestClient dated_client(App app) { return TestClient(std::move(app), {.io = test_options().io}); }

}  // namespace

TEST_SUITE_BEGIN("http/testing/clock");

TEST_CASE("a test sets the date, which advances with the steady clock") {
  App app;
  app.get("/now", [] { return std::to_string(wall_second().time_since_epoch().count()); });
  TestClient client = dated_client(std::move(app));
  client.clock().set("2026-01-01T00:00:00Z");
  CHECK(client.clock().now() == kYear2026);
  const TestResponse first = client.get("/now").send();
  CHECK(first.body() == std::to_string(kYear2026.time_since_epoch().count()));
  CHECK(first.header("date") == "Thu, 01 Jan 2026 00:00:00 GMT");
  client.clock().advance(36h);
  CHECK(client.get("/now").send().header("date") == "Fri, 02 Jan 2026 12:00:00 GMT");
  client.clock().set(kYear2026 - 1s);
  CHECK(client.clock().now() == kYear2026 - 1s);
}

TEST_CASE("a time that is none is refused") {
  TestClient client = dated_client(App());
  for (const char* time :
       {"", "2026-01-01", "2026-01-01T00:00:00", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z", "2026-1-01T00:00:000Z", "2026-13-01T00:00:00Z", "x026-01-01T00:00:00Z"}) {
    CAPTURE(time);
    CHECK_THROWS_AS(client.clock().set(time), std::invalid_argument);
  }
}

TEST_CASE("sessions and the cookies of a browser expire by the clock of the test") {
  App app;
  app.use(sessions({.keys = CookieKeys({"0123456789abcdef0123456789abcdef"}), .idle_time = 30min}));
  app.post("/login", [](From<Session> session) { session->set("user", "ann"); });
  app.get("/me", [](From<Session> session) { return session->get<std::string>("user").value_or("none"); });
  app.get("/note", [] { return Response().add_header("Set-Cookie", "note=1; Expires=Thu, 01 Jan 2026 01:00:00 GMT"); });
  TestClient client = dated_client(std::move(app));
  client.clock().set(kYear2026);
  TestBrowser ann = client.browser();
  CHECK(ann.post("/login").send().status() == 204);
  const std::string session(*ann.cookies().find("__Host-session"));
  CHECK(ann.get("/note").send().status() == 200);
  client.clock().advance(29min);
  CHECK(ann.get("/me").send().body() == "ann");
  CHECK(ann.cookies().find("note") == "1");
  client.clock().advance(32min);
  CHECK(client.get("/me").cookie("__Host-session", session).send().body() == "none");  // the server has forgotten it
  CHECK(ann.get("/me").send().body() == "none");
  CHECK_FALSE(ann.cookies().find("note"));
}

TEST_CASE("a cron job runs at its time") {
  App app;
  auto runs = std::make_shared<int>(0);
  app.cron("0 6 * * *", [runs]() -> Task<> {
    ++*runs;
    co_return;
  });
  TestClient client = dated_client(std::move(app));
  client.clock().set(kYear2026);
  client.clock().advance(30s);  // the job looks at the wall clock every 30 s
  client.clock().advance(5h);
  CHECK(*runs == 0);
  client.clock().advance(1h);
  CHECK(*runs == 1);
}

}  // namespace volt::http
