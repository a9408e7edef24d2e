// SPDX-License-Identifier: MIT

#include "http/web/problem.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace volt::http {
TEST_SUITE_BEGIN("http/web/problem");

TEST_CASE("a problem has the header field that its status requires, which may be replaced") {
  using namespace std::chrono_literals;
  const struct {
    std::string_view why;
    Problem problem;
    std::string_view field, want;
  } cases[] = {
      {"9110 15.5.2: a challenge", Problem(Status::unauthorized), "WWW-Authenticate", "Bearer"},
      {"401 by its function", unauthorized("who are you?"), "WWW-Authenticate", "Bearer"},
      {"the challenge is replaced", unauthorized().header("WWW-Authenticate", "Basic"), "WWW-Authenticate", "Basic"},
      {"9110 15.6.4: 503 has Retry-After", Problem(Status::service_unavailable), "Retry-After", "1"},
      {"6585 4: 429 has Retry-After", Problem(Status::too_many_requests), "Retry-After", "1"},
      {"9110 10.2.3: whole seconds", unavailable().retry_after(1500ms), "Retry-After", "2"},
      {"other statuses have no Retry-After", Problem(Status::internal_server_error), "Retry-After", ""},
  };
  for (const auto& [why, problem, field, want] : cases) {
    CAPTURE(why);
    CHECK(problem.to_response().header(field).value_or("") == want);
  }
}

TEST_CASE("a problem sets no field that the server writes itself") {
  for (const char* name : {"Content-Length", "transfer-encoding", "Connection", "Content-Type"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(Problem(Status::bad_gateway).header(name, "0"), std::invalid_argument);
  }
}

TEST_CASE("a problem with a status below 400 throws") {
  CHECK_THROWS_AS(static_cast<void>(Problem(Status::ok)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(Problem(Status::found)), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
