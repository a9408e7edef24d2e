// SPDX-License-Identifier: MIT

// Sessions at the limits of their options, and beside other middleware.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "http/http.h"
#include "http/middleware/session.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

App sample(SessionOptions options) {
  App app;
  app.use(sessions(std::move(options)));
  app.get("/count", [](From<Session> session) {
    const int count = session->get<int>("count").value_or(0) + 1;
    session->set("count", count);
    return std::to_string(count);
  });
  app.get("/form", [](From<Session> session) {
    return Response::text(session->csrf_token()).header("Cache-Control", "public, max-age=60, no-cache");
  });
  return app;
}

std::string cookie_of(const Response& response) {
  const std::string field(response.header("set-cookie").value_or(""));
  return field.substr(0, field.find(';'));
}

}  // namespace

TEST_SUITE_BEGIN("http/session_limits");

TEST_CASE("a page with a token is for one client, whatever its handler says") {
  InProcessApp app(sample({}));
  const std::string cookie = cookie_of(app.get("/count"));
  CHECK(app.get("/form", {{"cookie", cookie}}).header("set-cookie"));  // stores the token
  const Response page = app.get("/form", {{"cookie", cookie}});
  CHECK_FALSE(page.header("set-cookie"));
  CHECK(page.header("cache-control") == "private, max-age=60, no-cache");
}

TEST_CASE("a session without an end lasts") {
  SessionOptions options;
  options.keys = CookieKeys::random();
  options.idle_time = options.life_time = std::chrono::seconds::max();
  InProcessApp app(sample(options));
  const Response first = app.get("/count");
  CHECK(first.body() == "1");
  CHECK(app.get("/count", {{"cookie", cookie_of(first)}}).body() == "2");
}

TEST_CASE("two sessions() that handle one request are refused") {
  App app = sample({});
  Group group = app.group("/in");
  group.use(sessions({.cookie = "__Host-other"}));
  group.get("/", [] { return "never"; });
  InProcessApp asked(std::move(app));
  CHECK(asked.get("/in/").status() == Status::internal_server_error);
  CHECK(asked.get("/count").status() == Status::ok);
}

TEST_SUITE_END();

}  // namespace volt::http
