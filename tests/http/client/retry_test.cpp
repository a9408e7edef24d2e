// SPDX-License-Identifier: MIT

// Retries: what is sent again, how often, and after which wait. internal/retry_policy_test.cpp has the arithmetic.
#include "http/client/retry.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "tests/support/canned_server.h"
#include "tests/support/engine.h"
#include "tests/support/fetched.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/reported_metrics.h"
#include "tests/support/streamed_request_body.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::eventually;
using test::fetch;
using test::ManualClockRuntime;
using test::ReportedMetrics;
using test::StreamedRequestBody;
using test::Turn;
using namespace std::chrono_literals;

constexpr const char* kRetries = "volt_http_client_retries_total";

// Retries without a wait.
ClientOptions eager(std::uint32_t attempts_max) {
  return {.retry = {.attempts_max = attempts_max, .random = [] { return 0.0; }}};
}

Turn turn(const std::string& status, const std::string& fields = "") {
  return {"HTTP/1.1 " + status + " X\r\n" + fields + "Content-Length: 2\r\n\r\nxx"};
}

const Turn kLost{.answer = "", .closes = true};

ClientRequest post_to(const CannedServer& server) {
  ClientRequest request(Method::post, server.uri());
  request.body("body", "text/plain");
  return request;
}

Task<std::string> get(Borrowed<HttpClient> client, std::string uri) {
  co_return co_await fetch(client.get(), ClientRequest(Method::get, std::move(uri)));
}

}  // namespace

TEST_SUITE_BEGIN("http/client/retry");

TEST_CASE("an idempotent request is sent again after a lost connection and after some statuses") {
  Runtime runtime(test_options());
  struct Case {
    std::string why;
    Method method;
    std::vector<Turn> turns;
    std::string want;
    std::size_t requests;
  };
  const std::string lost = make_error_code(ClientError::truncated).message();
  const Case cases[] = {
      {"503, then 200", Method::get, {turn("503"), turn("200")}, "200 xx", 2},
      {"502 and 504, then 200", Method::del, {turn("502"), turn("504"), turn("200")}, "200 xx", 3},
      {"429 with Retry-After: 0", Method::get, {turn("429", "Retry-After: 0\r\n"), turn("200")}, "200 xx", 2},
      {"the last of three attempts is returned", Method::get, {turn("503"), turn("503"), turn("503")}, "503 xx", 3},
      {"lost without a byte", Method::get, {kLost, turn("200")}, "200 xx", 2},
      {"lost within the head", Method::get, {{.answer = "HTTP/1.1 20", .closes = true}, turn("200")}, lost, 1},
      {"500 is not in statuses", Method::get, {turn("500"), turn("200")}, "500 xx", 1},
      {"404", Method::get, {turn("404"), turn("200")}, "404 xx", 1},
      {"POST is not idempotent: 503", Method::post, {turn("503"), turn("200")}, "503 xx", 1},
      {"POST is not idempotent: lost", Method::post, {kLost, turn("200")}, lost, 1},
      {"a long Retry-After", Method::get, {turn("503", "Retry-After: 60\r\n"), turn("200")}, "503 xx", 1},
  };
  for (const auto& [why, method, turns, want, requests] : cases) {
    CAPTURE(why);
    const CannedServer server(turns);
    HttpClient client(eager(3));
    CHECK(runtime.block_on([&] { return fetch(client, ClientRequest(method, server.uri())); }) == want);
    CHECK(server.requests().size() == requests);
    CHECK(ReportedMetrics(client).at(kRetries) == static_cast<double>(requests - 1));
  }
}

TEST_CASE("by default no request is sent again after an error or a status") {
  Runtime runtime(test_options());
  const CannedServer server({turn("503"), kLost});
  const std::string lost = make_error_code(ClientError::truncated).message();
  for (const std::string& want : {std::string("503 xx"), lost}) {
    // The second request is the first one on a new client's connection: a kept one would be replaced.
    HttpClient client;
    CHECK(runtime.block_on([&] { return fetch(client, ClientRequest(Method::get, server.uri())); }) == want);
  }
  CHECK(server.requests().size() == 2);
}

TEST_CASE("a retry after a status uses the connection again") {
  Runtime runtime(test_options());
  const CannedServer server({turn("503"), turn("200")});
  HttpClient client(eager(2));
  CHECK(runtime.block_on([&] { return fetch(client, ClientRequest(Method::get, server.uri())); }) == "200 xx");
  CHECK(server.connections() == 1);
}

TEST_CASE("a POST is sent again if idempotent() says so, with its body; a streamed body never is") {
  Runtime runtime(test_options());
  const CannedServer server({turn("503"), kLost, turn("200"), turn("503")});
  HttpClient client(eager(3));
  CHECK(runtime.block_on([&] {
    ClientRequest request = post_to(server);
    request.idempotent();
    return fetch(client, std::move(request));
  }) == "200 xx");
  REQUIRE(server.requests().size() == 3);
  for (const std::string& request : server.requests()) CHECK(request.ends_with("\r\n\r\nbody"));
  CHECK(runtime.block_on([&] {
    ClientRequest request(Method::put, server.uri());
    request.body(std::make_unique<StreamedRequestBody>("body", 4, 4)).idempotent();
    return fetch(client, std::move(request));
  }) == "503 xx");
  CHECK(server.requests().size() == 4);
}

TEST_CASE("after a refused connection every method is tried again, because nothing was sent") {
  Runtime runtime(test_options());
  std::string uri;
  {
    const CannedServer closed({});
    uri = closed.uri();
  }
  HttpClient client(eager(3));
  const auto refused = std::make_error_code(std::errc::connection_refused).message();
  CHECK(runtime.block_on([&] {
    ClientRequest request(Method::post, uri);
    request.body("body", "text/plain");
    return fetch(client, std::move(request));
  }) == refused);
  const ReportedMetrics metrics(client);
  CHECK(metrics.at(kRetries) == 2);
  CHECK(metrics.at("volt_http_client_requests_total") == 1);
  CHECK(metrics.at("volt_http_client_errors_total connect") == 1);
}

TEST_CASE("an exhausted budget ends the retries to its server, and not those to another") {
  Runtime runtime(test_options());
  const CannedServer failing(std::vector<Turn>(20, turn("503")));
  const CannedServer other({turn("503"), turn("200")});
  ClientOptions options = eager(2);
  options.retry.budget_burst = 2;
  HttpClient client(std::move(options));
  const auto ask = [&](const CannedServer& server) {
    return runtime.block_on([&] { return fetch(client, ClientRequest(Method::get, server.uri())); });
  };
  for (int i = 0; i != 6; ++i) CHECK(ask(failing) == "503 xx");
  // The burst, and one token by six requests: the bucket was full at the first of them.
  CHECK(failing.requests().size() == 6 + 3);
  CHECK(ReportedMetrics(client).at("volt_http_client_retry_budget_exhausted_total") == 3);
  CHECK(ask(other) == "200 xx");
}

TEST_CASE("the wait is as long as Retry-After says, and there is no retry beyond whole_timeout") {
  ManualClockRuntime manual;
  const CannedServer server({turn("503", "Retry-After: 3\r\n"), turn("200"), turn("503", "Retry-After: 3\r\n")});
  ClientOptions options = eager(2);
  options.whole_timeout = 10s;
  HttpClient client(std::move(options));
  auto first = manual.runtime.spawn(get, borrow(client), server.uri());
  REQUIRE(eventually([&] { return manual.settle(), ReportedMetrics(client).at(kRetries) == 1; }));
  manual.settle();  // until the task sleeps
  manual.runtime.advance_clock(2900ms);
  CHECK(server.requests().size() == 1);
  manual.runtime.advance_clock(200ms);
  REQUIRE(eventually([&] { return manual.settle(), first.done(); }));
  CHECK(manual.result_of(std::move(first)) == "200 xx");
  CHECK(server.requests().size() == 2);

  ClientOptions hasty = eager(2);
  hasty.whole_timeout = 2s;
  HttpClient other(std::move(hasty));
  auto second = manual.runtime.spawn(get, borrow(other), server.uri());
  REQUIRE(eventually([&] { return manual.settle(), second.done(); }));
  CHECK(manual.result_of(std::move(second)) == "503 xx");
}

TEST_SUITE_END();

}  // namespace volt::http
