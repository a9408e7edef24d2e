// SPDX-License-Identifier: MIT

// Hedges: which requests get a second copy, when, and which outcome counts.
#include "http/client/hedge.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "http/client/internal/response_times.h"
#include "http/http.h"
#include "runtime/base/atomic.h"
#include "runtime/borrowed.h"
#include "runtime/notify.h"
#include "runtime/runtime.h"
#include "tests/support/canned_server.h"
#include "tests/support/fetched.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/reported_metrics.h"
#include "tests/support/served_app.h"
#include "tests/support/streamed_request_body.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::eventually;
using test::fetch;
using test::ManualClockRuntime;
using test::ReportedMetrics;
using test::ServedApp;
using test::StreamedRequestBody;
using test::Turn;
using namespace std::chrono_literals;

constexpr const char* kHedges = "volt_http_client_hedges_total";
constexpr const char* kWon = "volt_http_client_hedges_won_total";

const Turn kOk{.answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"};
const Turn kSilent{.answer = ""};

using MakeRequest = std::function<ClientRequest()>;

Task<std::string> send_made(Borrowed<HttpClient> client, std::shared_ptr<MakeRequest> make) {
  co_return co_await fetch(client.get(), (*make)());
}

// A request in progress on a runtime with a manual clock.
class Sending {
 public:
  Sending(ManualClockRuntime& manual, HttpClient& client, MakeRequest make)
      : manual_(manual),
        result_(manual.runtime.spawn(send_made, borrow(client), std::make_shared<MakeRequest>(make))) {}

  // Returns whether the server has received so many requests.
  [[nodiscard]] bool has_sent(const CannedServer& server, std::size_t count) {
    return eventually([&] { return manual_.settle(), server.requests().size() == count; });
  }
  [[nodiscard]] std::string result() {
    REQUIRE(eventually([&] { return manual_.settle(), result_.done(); }));
    return manual_.result_of(std::move(result_));
  }

 private:
  ManualClockRuntime& manual_;
  JoinHandle<std::string> result_;
};

MakeRequest getting(const CannedServer& server) {
  return [&server] { return ClientRequest(Method::get, server.uri()); };
}

// A server whose responses the test releases, one for each request in the order of arrival.
class HeldResponses {
 public:
  explicit HeldResponses(std::array<Status, 2> statuses) : statuses_(statuses) {}

  [[nodiscard]] App app() {
    App app;
    app.get("/", [this]() -> Task<Response> {
      const std::size_t request = arrived_.fetch_add(1);
      co_await releases_.at(request).notified();
      co_return Response::text(std::to_string(request), statuses_.at(request));
    });
    return app;
  }
  [[nodiscard]] std::size_t arrived() const { return arrived_.load(); }
  void release(std::size_t request) { releases_.at(request).notify_one(); }

 private:
  const std::array<Status, 2> statuses_;
  base::Atomic<std::size_t> arrived_{0};
  std::array<Notify, 2> releases_;
};

}  // namespace

TEST_SUITE_BEGIN("http/client/hedge");

TEST_CASE("a second copy is sent after the delay, and its response wins if the first has none") {
  ManualClockRuntime manual;
  const CannedServer server({kSilent, kOk});
  HttpClient client({.hedge = {.delay = 50ms}});
  Sending sending(manual, client, getting(server));
  REQUIRE(sending.has_sent(server, 1));
  manual.runtime.advance_clock(49ms);
  CHECK(ReportedMetrics(client).at(kHedges) == 0);
  manual.runtime.advance_clock(2ms);
  REQUIRE(sending.has_sent(server, 2));
  CHECK(sending.result() == "200 ok");
  const ReportedMetrics metrics(client);
  CHECK(metrics.at(kHedges) == 1);
  CHECK(metrics.at(kWon) == 1);
  CHECK(metrics.at("volt_http_client_requests_total") == 1);
  CHECK(metrics.at("volt_http_client_retries_total") == 0);
  CHECK(client.idle_connections() == 1);
  CHECK(eventually([&] { return server.open_connections() == 1; }));  // that of the first copy was closed
}

TEST_CASE("the copy that has a good response first counts") {
  const struct {
    std::string why;
    std::array<Status, 2> statuses;
    std::array<std::size_t, 2> order;  // in which the server responds
    std::string want;
    int won;
  } cases[] = {
      {"the first copy", {Status::ok, Status::ok}, {0, 1}, "200 0", 0},
      {"the second copy", {Status::ok, Status::ok}, {1, 0}, "200 1", 1},
      {"404 is good", {Status::not_found, Status::ok}, {0, 1}, "404 0", 0},
      {"a 503 waits for the other copy", {Status::service_unavailable, Status::ok}, {0, 1}, "200 1", 1},
      {"so does a 500 of the second copy", {Status::ok, Status::internal_server_error}, {1, 0}, "200 0", 0},
      {"429 is among RetryOptions::statuses", {Status::too_many_requests, Status::ok}, {0, 1}, "200 1", 1},
      {"no good response: the last one", {Status::bad_gateway, Status::service_unavailable}, {0, 1}, "503 1", 0},
  };
  for (const auto& [why, statuses, order, want, won] : cases) {
    CAPTURE(why);
    HeldResponses held(statuses);
    ServedApp served(held.app(), test::patient_options(), ManualClockRuntime::options());
    Runtime& runtime = served.runtime();
    const auto settle = [&] { runtime.advance_clock(0ns); };
    HttpClient client({.hedge = {.delay = 50ms}});
    const std::string uri = "http://" + served.address().to_string() + "/";
    auto sending = runtime.spawn(send_made, borrow(client),
                                 std::make_shared<MakeRequest>([&] { return ClientRequest(Method::get, uri); }));
    REQUIRE(eventually([&] { return settle(), held.arrived() == 1; }));
    runtime.advance_clock(60ms);
    REQUIRE(eventually([&] { return settle(), held.arrived() == 2; }));
    held.release(order[0]);
    settle();
    if (want.ends_with(std::to_string(order[1]))) {
      CHECK_FALSE(sending.done());
      held.release(order[1]);
    }
    REQUIRE(eventually([&] { return settle(), sending.done(); }));
    CHECK(sending.task().take() == want);
    const ReportedMetrics metrics(client);
    CHECK(metrics.at(kHedges) == 1);
    CHECK(metrics.at(kWon) == won);
    CHECK(client.idle_connections() == 1);
  }
}

TEST_CASE("no second copy is sent if the first one ends before the delay, well or not") {
  Runtime runtime(test_options());
  const Turn lost{.answer = "", .closes = true};
  const std::string truncated = make_error_code(ClientError::truncated).message();
  for (const auto& [turn, want] : {std::pair(kOk, std::string("200 ok")), std::pair(lost, truncated)}) {
    const CannedServer server({turn});
    HttpClient client({.hedge = {.delay = 1h}});
    CHECK(runtime.block_on([&] { return fetch(client, getting(server)()); }) == want);
    CHECK(server.requests().size() == 1);
    CHECK(ReportedMetrics(client).at(kHedges) == 0);
  }
}

TEST_CASE("only a request that may be sent twice is hedged") {
  const auto plain = [](Method method) {
    return [method](const std::string& uri) { return ClientRequest(method, uri); };
  };
  using Make = std::function<ClientRequest(const std::string&)>;
  const struct {
    std::string why;
    Make make;
    bool hedged;
  } cases[] = {
      {"GET", plain(Method::get), true},
      {"HEAD", plain(Method::head), true},
      {"DELETE", plain(Method::del), true},
      {"PUT with a body",
       [](const std::string& uri) {
         ClientRequest request(Method::put, uri);
         request.body("body", "text/plain");
         return request;
       },
       true},
      {"POST", plain(Method::post), false},
      {"PATCH", plain(Method::patch), false},
      {"POST that is idempotent",
       [](const std::string& uri) {
         ClientRequest request(Method::post, uri);
         request.body("body", "text/plain").idempotent();
         return request;
       },
       true},
      {"PUT with a streamed body",
       [](const std::string& uri) {
         ClientRequest request(Method::put, uri);
         request.body(std::make_unique<StreamedRequestBody>("body", 4, 4));
         return request;
       },
       false},
      {"an upgrade",
       [](const std::string& uri) {
         ClientRequest request(Method::get, uri);
         request.upgrade("chat");
         return request;
       },
       false},
      {"on_interim()",
       [](const std::string& uri) {
         ClientRequest request(Method::get, uri);
         request.on_interim([](Status, const Fields&) {});
         return request;
       },
       false},
      {"a request without a hedge",
       [](const std::string& uri) {
         ClientRequest request(Method::get, uri);
         request.hedge_after(std::chrono::nanoseconds::max());
         return request;
       },
       false},
  };
  ManualClockRuntime manual;
  for (const auto& [why, make, hedged] : cases) {
    CAPTURE(why);
    const CannedServer server({kSilent, kSilent});
    HttpClient client({.response_timeout = 1s, .hedge = {.delay = 50ms}});
    Sending sending(manual, client, [&] { return make(server.uri()); });
    REQUIRE(sending.has_sent(server, 1));
    manual.runtime.advance_clock(60ms);
    REQUIRE(sending.has_sent(server, hedged ? 2 : 1));
    manual.runtime.advance_clock(2s);
    CHECK(sending.result() == std::make_error_code(std::errc::timed_out).message());
    CHECK(server.requests().size() == (hedged ? 2 : 1));
    if (hedged) CHECK(server.requests()[0] == server.requests()[1]);
    CHECK(ReportedMetrics(client).at(kHedges) == (hedged ? 1 : 0));
    CHECK(ReportedMetrics(client).at(kWon) == 0);
  }
}

TEST_CASE("hedge_after() sets the delay of one request, and refuses one that must not be sent twice") {
  ManualClockRuntime manual;
  const CannedServer server({kSilent, kOk});
  HttpClient client;
  Sending sending(manual, client, [&] {
    ClientRequest request(Method::get, server.uri());
    request.hedge_after(10ms);
    return request;
  });
  REQUIRE(sending.has_sent(server, 1));
  manual.runtime.advance_clock(11ms);
  CHECK(sending.result() == "200 ok");
  CHECK(ReportedMetrics(client).at(kWon) == 1);

  Runtime runtime(test_options());
  const auto refuses = [&](ClientRequest request) {
    request.hedge_after(10ms);
    CHECK_THROWS_AS(runtime.block_on([&] { return fetch(client, std::move(request)); }), std::invalid_argument);
  };
  refuses(ClientRequest(Method::post, server.uri()));
  ClientRequest streamed(Method::put, server.uri());
  streamed.body(std::make_unique<StreamedRequestBody>("body", 4, 4));
  refuses(std::move(streamed));
  CHECK(server.requests().size() == 2);
  ClientRequest request(Method::get, server.uri());
  CHECK_THROWS_AS(request.hedge_after(-1ns), std::invalid_argument);
}

TEST_CASE("hedges take tokens of the server's retry budget") {
  ManualClockRuntime manual;
  const CannedServer server({kSilent, kOk, kSilent});
  HttpClient client(
      {.response_timeout = 1s, .retry = {.budget_ratio = 0, .budget_burst = 1}, .hedge = {.delay = 50ms}});
  Sending first(manual, client, getting(server));
  REQUIRE(first.has_sent(server, 1));
  manual.runtime.advance_clock(60ms);
  CHECK(first.result() == "200 ok");
  Sending second(manual, client, getting(server));
  REQUIRE(second.has_sent(server, 3));
  manual.runtime.advance_clock(60ms);
  CHECK(ReportedMetrics(client).at("volt_http_client_retry_budget_exhausted_total") == 1);
  manual.runtime.advance_clock(1s);
  CHECK(second.result() == std::make_error_code(std::errc::timed_out).message());
  CHECK(server.requests().size() == 3);
  CHECK(ReportedMetrics(client).at(kHedges) == 1);
}

TEST_CASE("no hedge is sent if there is no place for another request, or the circuit is open") {
  ManualClockRuntime manual;
  const std::string late = std::make_error_code(std::errc::timed_out).message();
  const CannedServer busy({kSilent});
  HttpClient limited({.response_timeout = 1s, .hedge = {.delay = 50ms}, .concurrency = {.running_max = 1}});
  Sending only(manual, limited, getting(busy));
  REQUIRE(only.has_sent(busy, 1));
  manual.runtime.advance_clock(60ms);
  manual.runtime.advance_clock(1s);
  CHECK(only.result() == late);
  CHECK(busy.requests().size() == 1);
  CHECK(ReportedMetrics(limited).at(kHedges) == 0);

  const CannedServer failing({kSilent, {.answer = "", .closes = true}});
  HttpClient careful({.response_timeout = 1s,
                      .hedge = {.delay = 500ms},
                      .circuit_breaker = {.consecutive_failures = 1, .open_for = 1h}});
  Sending slow(manual, careful, getting(failing));
  REQUIRE(slow.has_sent(failing, 1));
  Sending lost(manual, careful, getting(failing));
  CHECK(lost.result() == make_error_code(ClientError::truncated).message());
  manual.runtime.advance_clock(600ms);
  manual.runtime.advance_clock(1s);
  CHECK(slow.result() == late);
  CHECK(failing.requests().size() == 2);
  CHECK(ReportedMetrics(careful).at(kHedges) == 0);
}

TEST_CASE("the delay may be a percentile of the server's response times") {
  using client::ResponseTimes;
  ResponseTimes times;
  for (std::size_t i = 1; i != ResponseTimes::kNeededMin; ++i) times.record(std::chrono::milliseconds(i));
  CHECK_FALSE(times.at(0.95));
  for (std::size_t i = ResponseTimes::kNeededMin; i <= 100; ++i) times.record(std::chrono::milliseconds(i));
  CHECK(times.at(0) == 1ms);
  CHECK(times.at(0.5) == 51ms);
  CHECK(times.at(0.95) == 96ms);
  for (std::size_t i = 0; i != ResponseTimes::kKept; ++i) times.record(7ms);
  CHECK(times.at(0.95) == 7ms);

  ManualClockRuntime manual;
  std::vector<Turn> turns(ResponseTimes::kNeededMin, kOk);
  turns.insert(turns.begin(), kSilent);
  turns.insert(turns.end(), {kSilent, kOk});
  const CannedServer server(turns);
  HttpClient client({.response_timeout = 1s, .hedge = {.delay = 50ms, .percentile = 0.95}});
  Sending unknown(manual, client, getting(server));
  REQUIRE(unknown.has_sent(server, 1));
  manual.runtime.advance_clock(2s);  // no percentile is known, so there is no second copy
  CHECK(unknown.result() == std::make_error_code(std::errc::timed_out).message());
  for (std::size_t i = 0; i != ResponseTimes::kNeededMin; ++i) {
    Sending quick(manual, client, getting(server));
    CHECK(quick.result() == "200 ok");
  }
  CHECK(ReportedMetrics(client).at(kHedges) == 0);
  Sending hedged(manual, client, getting(server));
  REQUIRE(hedged.has_sent(server, ResponseTimes::kNeededMin + 2));
  manual.runtime.advance_clock(60ms);  // the percentile is 0 on a clock that stood still, so HedgeOptions::delay counts
  CHECK(hedged.result() == "200 ok");
  CHECK(ReportedMetrics(client).at(kWon) == 1);
}

TEST_CASE("options out of their range are refused") {
  CHECK_THROWS_AS(HttpClient({.hedge = {.delay = -1ns}}), std::invalid_argument);
  CHECK_THROWS_AS(HttpClient({.hedge = {.percentile = 1}}), std::invalid_argument);
  CHECK_THROWS_AS(HttpClient({.hedge = {.percentile = -0.1}}), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http
