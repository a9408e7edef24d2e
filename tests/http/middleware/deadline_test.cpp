// SPDX-License-Identifier: MIT

// Deadlines of requests, and how a client passes them on.
#include "http/middleware/deadline.h"

#include <doctest/doctest.h>

#include <chrono>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

#include "http/client/client.h"
#include "http/http.h"
#include "runtime/borrowed.h"
#include "runtime/time.h"
#include "tests/support/canned_server.h"
#include "tests/support/fetched.h"
#include "tests/support/in_process_app.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::eventually;
using test::InProcessApp;
using test::ManualClockRuntime;
using namespace std::chrono_literals;

constexpr const char* kField = "x-envoy-expected-rq-timeout-ms";

Task<std::string> fetch_within(Borrowed<HttpClient> client, std::string uri, std::chrono::nanoseconds limit) {
  ClientRequest request(Method::get, std::move(uri));
  request.deadline(Deadline::after(limit));
  co_return co_await test::fetch(client.get(), std::move(request));
}

std::string timed_out_message() { return std::make_error_code(std::errc::timed_out).message(); }

}  // namespace

TEST_SUITE_BEGIN("http/middleware/deadline");

TEST_CASE("the deadline is that of the field, if it is a number, and at most the limit") {
  int runs = 0;
  App app;
  app.use(deadline({.limit = 1h, .field = kField}));
  app.get("/", [&runs](From<RequestDeadline> deadline) {
    ++runs;
    return std::to_string(std::chrono::floor<std::chrono::seconds>(deadline->at.left()).count());
  });
  InProcessApp asked(std::move(app));
  struct Case {
    const char* why;
    const char* field;
    int least;  // seconds
    int most;
  };
  const Case cases[] = {{"ten minutes", "600000", 300, 600},
                        {"more than the limit", "7200000", 3000, 3600},
                        {"not a number", "soon", 3000, 3600},
                        {"a negative number", "-5", 3000, 3600},
                        {"too large a number", "99999999999", 3000, 3600},
                        {"an empty value", "", 3000, 3600}};
  for (const Case& it : cases) {
    CAPTURE(it.why);
    const int left = std::stoi(std::string(asked.get("/", {{kField, it.field}}).body()));
    CHECK(left >= it.least);
    CHECK(left <= it.most);
  }
  CHECK(std::stoi(std::string(asked.get("/").body())) >= 3000);
  CHECK(runs == 7);
  CHECK(asked.get("/", {{kField, "0"}}).status() == Status::service_unavailable);
  CHECK(runs == 7);
}

TEST_CASE("a handler that exceeds the deadline is cancelled; invalid options are refused") {
  App app;
  app.use(deadline({.limit = 1h, .field = kField}));
  app.get("/", []() -> Task<std::string> {
    co_await sleep_for(2h);
    co_return "never";
  });
  InProcessApp asked(std::move(app));
  CHECK(asked.get("/", {{kField, "20"}}).status() == Status::service_unavailable);
  CHECK_THROWS_AS(static_cast<void>(deadline({.limit = 0s})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(deadline({.field = "a b"})), std::invalid_argument);
  CHECK_THROWS_AS(HttpClient(ClientOptions{.deadline_field = "a b"}), std::invalid_argument);
}

TEST_CASE("a client sends the remaining time, gives up at the deadline, and sends nothing after it") {
  const CannedServer server({{"HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok"}});  // then it is silent
  HttpClient client({.deadline_field = kField});
  ManualClockRuntime manual;
  const auto start = [&](std::chrono::nanoseconds limit) {
    return manual.runtime.spawn(fetch_within, borrow(client), server.uri(), limit);
  };
  auto first = start(5s);
  REQUIRE(eventually([&] { return manual.settle(), first.done(); }));
  CHECK(manual.result_of(std::move(first)) == "200 ok");
  CHECK(server.requests().at(0).contains("\r\n" + std::string(kField) + ": 5000\r\n"));

  auto second = start(5s);
  REQUIRE(eventually([&] { return manual.settle(), server.requests().size() == 2; }));
  manual.runtime.advance_clock(4900ms);
  CHECK_FALSE(second.done());
  manual.runtime.advance_clock(200ms);
  CHECK(manual.result_of(std::move(second)) == timed_out_message());

  CHECK(manual.result_of(start(0s)) == timed_out_message());
  CHECK(server.requests().size() == 2);
}

TEST_SUITE_END();

}  // namespace volt::http
