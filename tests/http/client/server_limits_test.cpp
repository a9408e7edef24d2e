// SPDX-License-Identifier: MIT

// The limits that a client keeps for each server: the circuit breaker and the limit of concurrent requests.
// internal/circuit_breaker_test.cpp has all transitions of a circuit.
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <stdexcept>
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
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::eventually;
using test::fetch;
using test::ManualClockRuntime;
using test::ReportedMetrics;
using test::Turn;
using namespace std::chrono_literals;

const Turn kFailing{"HTTP/1.1 500 X\r\nContent-Length: 2\r\n\r\nno"};
const Turn kWorking{"HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok"};

std::string message_of(ClientError error) { return make_error_code(error).message(); }

Task<std::string> fetch_from(Borrowed<HttpClient> client, std::string uri) {
  co_return co_await fetch(client.get(), ClientRequest(Method::get, std::move(uri)));
}

Task<Circuit> circuit_of(Borrowed<HttpClient> client, std::string uri) { co_return client.get().circuit(uri); }

struct Setting {
  explicit Setting(ClientOptions options) : client(std::move(options)) {}

  std::string get(const std::string& uri) {
    auto task = manual.runtime.spawn(fetch_from, borrow(client), uri);
    REQUIRE(eventually([&] { return manual.settle(), task.done(); }));
    return manual.result_of(std::move(task));
  }
  Circuit circuit(const std::string& uri) {
    return manual.result_of(manual.runtime.spawn(circuit_of, borrow(client), uri));
  }

  HttpClient client;
  ManualClockRuntime manual;
};

}  // namespace

TEST_SUITE_BEGIN("http/client/server_limits");

TEST_CASE("an open circuit refuses requests to its server, says so, and lets a probe through after open_for") {
  const CannedServer server({kFailing, kFailing, kWorking, kWorking});
  const CannedServer other({kWorking});
  Setting setting({.circuit_breaker = {.consecutive_failures = 2, .open_for = 5s}});
  CHECK(setting.get(server.uri()) == "500 no");
  CHECK(setting.circuit(server.uri()).state == CircuitState::closed);
  CHECK(setting.get(server.uri()) == "500 no");
  CHECK(setting.get(server.uri()) == message_of(ClientError::circuit_open));
  CHECK(server.requests().size() == 2);
  CHECK(setting.get(other.uri()) == "200 ok");  // each server has a circuit of its own

  const std::string authority = server.uri("").substr(7);
  const Circuit circuit = setting.circuit(server.uri("/any"));
  CHECK(circuit.authority == authority);
  CHECK(circuit.state == CircuitState::open);
  CHECK(circuit.open_for == 5s);
  CHECK(circuit.to_string() == "the circuit of " + authority + " is open for another 5000 ms");
  const ReportedMetrics metrics(setting.client);
  CHECK(metrics.at("volt_http_client_circuits open") == 1);
  CHECK(metrics.at("volt_http_client_circuits half_open") == 0);
  CHECK(metrics.at("volt_http_client_circuit_openings_total") == 1);
  CHECK(metrics.at("volt_http_client_errors_total circuit_open") == 1);

  setting.manual.runtime.advance_clock(4900ms);
  CHECK(setting.get(server.uri()) == message_of(ClientError::circuit_open));
  setting.manual.runtime.advance_clock(200ms);
  CHECK(setting.get(server.uri()) == "200 ok");
  CHECK(setting.circuit(server.uri()).to_string() == "the circuit of " + authority + " is closed");
  CHECK(setting.get(server.uri()) == "200 ok");
  CHECK(ReportedMetrics(setting.client).at("volt_http_client_circuits open") == 0);
}

TEST_CASE("a refused connection is a failure, and an open circuit ends the retries with the last outcome") {
  std::string uri;
  {
    const CannedServer closed({});
    uri = closed.uri();
  }
  Setting setting(
      {.retry = {.attempts_max = 5, .random = [] { return 0.0; }}, .circuit_breaker = {.consecutive_failures = 3}});
  CHECK(setting.get(uri) == std::make_error_code(std::errc::connection_refused).message());
  CHECK(ReportedMetrics(setting.client).at("volt_http_client_retries_total") == 2);
  CHECK(setting.get(uri) == message_of(ClientError::circuit_open));
}

TEST_CASE("without a circuit breaker the circuit is closed; an invalid URI has none") {
  Setting setting({});
  CHECK(setting.circuit("http://a").state == CircuitState::closed);
  auto task = setting.manual.runtime.spawn(circuit_of, borrow(setting.client), std::string("a"));
  setting.manual.settle();
  REQUIRE(task.done());
  CHECK_THROWS_AS(setting.manual.result_of(std::move(task)), std::invalid_argument);
}

TEST_CASE("a request that finds running_max others waits, for at most wait_max and with at most waiting_max others") {
  const CannedServer other({kWorking});
  Setting setting({.concurrency = {.running_max = 1, .waiting_max = 1, .wait_max = 2s}});
  Runtime& runtime = setting.manual.runtime;
  const auto hold = [](Borrowed<HttpClient> client, std::string uri) -> Task<std::optional<ClientResponse>> {
    Result<ClientResponse> response = co_await client.get().send(ClientRequest(Method::get, std::move(uri)));
    if (!response) co_return std::nullopt;
    co_return std::move(*response);
  };
  // The first response never ends, and keeps its place until it is destroyed.
  const CannedServer slow({{"HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\no"}, kWorking, kWorking});
  auto holding = runtime.spawn(hold, borrow(setting.client), slow.uri());
  REQUIRE(eventually([&] { return setting.manual.settle(), holding.done(); }));
  std::optional<ClientResponse> held = setting.manual.result_of(std::move(holding));
  REQUIRE(held);
  CHECK(setting.get(other.uri()) == "200 ok");  // each server has places of its own

  auto waiting = runtime.spawn(fetch_from, borrow(setting.client), slow.uri());
  setting.manual.settle();
  CHECK(setting.get(slow.uri()) == message_of(ClientError::too_many_requests));  // waiting_max
  CHECK_FALSE(waiting.done());
  runtime.advance_clock(2100ms);
  CHECK(setting.manual.result_of(std::move(waiting)) == message_of(ClientError::too_many_requests));  // wait_max
  CHECK(slow.requests().size() == 1);
  CHECK(ReportedMetrics(setting.client).at("volt_http_client_errors_total concurrency_limit") == 2);

  auto next = runtime.spawn(fetch_from, borrow(setting.client), slow.uri());
  setting.manual.settle();
  CHECK_FALSE(next.done());
  held.reset();  // closes the connection, and gives the place to the next request
  REQUIRE(eventually([&] { return setting.manual.settle(), next.done(); }));
  CHECK(setting.manual.result_of(std::move(next)) == "200 ok");
  CHECK(setting.get(slow.uri()) == "200 ok");  // a response that was read to the end has given back its place
}

TEST_SUITE_END();

}  // namespace volt::http
