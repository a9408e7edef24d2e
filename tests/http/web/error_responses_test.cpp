// SPDX-License-Identifier: MIT

#include "http/web/error_responses.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "http/middleware/observe.h"
#include "runtime/log.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

struct OutOfStock {};

}  // namespace

TEST_SUITE_BEGIN("http/web/error_responses");

TEST_CASE("an exception of a handler is logged with its type, its message and the request") {
  const struct {
    std::string_view path, line;
  } cases[] = {
      {"/items/1",
       "pattern=/items/{id} path=/items/1 status=500 error=\"no such item\" type=std::out_of_range request_id="},
      {"/number",
       "pattern=/number path=/number status=500 error=\"an exception without a message\" type=int request_id="},
      {"/text", "pattern=/text path=/text status=500 error=\"a text\" type=\"char const*\" request_id="},
      {"/own", "error=\"an exception without a message\" type=\"volt::http::(anonymous namespace)::OutOfStock\""},
  };
  for (const auto& [path, line] : cases) {
    CAPTURE(path);
    std::string logged;
    {
      RuntimeOptions options = test_options();
      options.log = std::make_shared<Log>(LogOptions{.flush_timeout = std::chrono::minutes(1),
                                                     .sink = [&](std::string_view lines) { logged += lines; }});
      App app;
      app.use(request_id());
      app.get("/items/{id}", [] -> int { throw std::out_of_range("no such item"); });
      app.get("/number", [] -> int { throw 42; });
      app.get("/text", [] -> int { throw "a text"; });
      app.get("/own", []() -> Task<int> {
        throw OutOfStock();
        co_return 1;
      });
      test::InProcessApp in_process(std::move(app), options);
      const Response response = in_process.get(std::string(path));
      CHECK(response.status() == Status::internal_server_error);
    }
    CAPTURE(logged);
    CHECK(logged.find("error handler threw an exception method=GET ") != std::string::npos);
    CHECK(logged.find(line) != std::string::npos);
  }
}

TEST_CASE("an exception is logged once if its error handler responds with 5xx, and not if with 4xx") {
  const struct {
    std::string why, path;
    Status status;
    std::size_t lines;
  } cases[] = {
      {"mapped to 503", "/gone", Status::service_unavailable, 1},
      {"mapped to 404", "/none", Status::not_found, 0},
      {"an error handler that throws", "/worse", Status::internal_server_error, 1},
      {"a Problem, which says itself what happened", "/problem", Status::bad_gateway, 0},
      {"a full disk", "/full", Status::insufficient_storage, 1},
      {"a quota that is used up", "/quota", Status::insufficient_storage, 1},
      {"another error of the system", "/denied", Status::internal_server_error, 1},
  };
  for (const auto& [why, path, status, lines] : cases) {
    CAPTURE(why);
    std::string logged;
    {
      RuntimeOptions options = test_options();
      options.log = std::make_shared<Log>(
          LogOptions{.flush_timeout = std::chrono::minutes(1), .sink = [&](std::string_view text) { logged += text; }});
      App app;
      app.on_error([](const std::out_of_range&) { return unavailable(); });
      app.on_error([](const std::domain_error&) { return not_found(); });
      app.on_error([](const std::length_error& error) -> Problem { throw error; });
      app.get("/gone", [] -> int { throw std::out_of_range("the cause"); });
      app.get("/none", [] -> int { throw std::domain_error("the cause"); });
      app.get("/worse", [] -> int { throw std::length_error("the cause"); });
      app.get("/problem", [] -> int { throw Problem(Status::bad_gateway, "the cause"); });
      app.get("/full", [] -> int { throw std::system_error(ENOSPC, std::system_category(), "the cause"); });
      app.get("/quota", [] -> int { throw std::system_error(EDQUOT, std::system_category(), "the cause"); });
      app.get("/denied", [] -> int { throw std::system_error(EACCES, std::system_category(), "the cause"); });
      test::InProcessApp in_process(std::move(app), options);
      CHECK(in_process.get(path).status() == status);
    }
    CAPTURE(logged);
    std::size_t count = 0;
    for (std::size_t at = logged.find("the cause"); at != std::string::npos; at = logged.find("the cause", at + 1)) {
      ++count;
    }
    CHECK(count == lines);
    if (lines != 0) CHECK(logged.contains("status=" + std::to_string(code(status))));
  }
}

TEST_SUITE_END();
}  // namespace volt::http
