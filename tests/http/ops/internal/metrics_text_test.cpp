// SPDX-License-Identifier: MIT

#include "http/ops/internal/metrics_text.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>

#include "tests/http/ops/ops_fixture.h"
#include "tracing/tracer.h"

namespace volt::http::ops {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::HttpClient;
using test::OpsFixture;
using test::PrometheusReader;
using Labels = PrometheusReader::Labels;

constexpr const char* kCount = "http_server_request_duration_seconds_count";

Labels series(const std::string& method, const std::string& route, const std::string& status) {
  Labels labels = {{"http_request_method", method}};
  if (!route.empty()) labels["http_route"] = route;
  if (!status.empty()) labels["http_response_status_code"] = status;
  if (status.starts_with('5')) labels["error_type"] = status;
  return labels;
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/metrics_text");

TEST_CASE("a stall is counted for the route that causes it") {
  OpsFixture ops_fixture;
  HttpClient client = ops_fixture.client();
  client.send("GET /hold?secret=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  const Labels labels = {{"http_request_method", "GET"}, {"http_route", "/hold"}};
  CHECK(eventually([&] { return ops_fixture.metrics().value("volt_route_stalls_total", labels) >= 1; }));
  ops_fixture.release();
  CHECK(client.read().body == "done");
}

TEST_CASE("requests are counted by method, pattern and status") {
  OpsFixture ops_fixture;
  for (const char* id : {"1", "2", "3"}) ops_fixture.use("GET /items/" + std::string(id) + "?secret=1");
  ops_fixture.use("POST /items/1", "text");
  ops_fixture.use("GET /broken");
  ops_fixture.use("GET /early");
  ops_fixture.use("GET /none/1");
  ops_fixture.use("GET /none/2");
  ops_fixture.use("PUT /items/1");
  static_cast<void>(ops_fixture.client().ask("BREW /items/1 HTTP/1.1\r\nHost: a\r\n\r\n"));
  static_cast<void>(ops_fixture.client().ask("no request\r\n\r\n"));
  const PrometheusReader metrics = ops_fixture.metrics();
  CHECK(metrics.type("http_server_request_duration_seconds") == "histogram");
  const struct {
    std::string why;
    Labels labels;
    double count;
  } cases[] = {
      {"one series for all ids", series("GET", "/items/{id}", "200"), 3},
      {"another method", series("POST", "/items/{id}", "409"), 1},
      {"a 500 has an error_type", series("GET", "/broken", "500"), 1},
      {"a response that is replaced by a 500 before its head is sent", series("GET", "/early", "500"), 1},
      {"no route, whatever the path", series("GET", "", "404"), 2},
      {"no route for the method", series("PUT", "", "405"), 1},
      {"an unknown method", series("_OTHER", "", "501"), 1},
      {"not HTTP", series("_OTHER", "", "400"), 1},
  };
  for (const auto& [why, labels, count] : cases) {
    CAPTURE(why);
    CHECK(metrics.has(kCount, labels));
    if (metrics.has(kCount, labels)) CHECK(metrics.value(kCount, labels) == count);
  }
  CHECK_FALSE(metrics.has(kCount, series("GET", "/early", "200")));
  CHECK(metrics.label_values(kCount, "http_route") == std::set<std::string>{"", "/broken", "/early", "/items/{id}"});
}

TEST_CASE("text that clients send neither creates series nor appears in reports") {
  OpsFixture ops_fixture;
  for (int i = 0; i != 50; ++i) {
    ops_fixture.use("GET /secret-path-" + std::to_string(i) + "?secret-query=1");
    static_cast<void>(ops_fixture.client().ask("SECRET" + std::to_string(i) + " / HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  HttpClient waiting = ops_fixture.client();
  waiting.send("GET /slow?secret-query=1 HTTP/1.1\r\nHost: secret-host\r\nCookie: secret=1\r\nX: secret\r\n\r\n");
  REQUIRE(eventually([&] { return ops_fixture.metrics().value("http_server_active_requests") == 1; }));
  CHECK(ops_fixture.metrics().label_values(kCount, "http_route") == std::set<std::string>{""});
  CHECK(ops_fixture.metrics().label_values(kCount, "http_request_method") == std::set<std::string>{"GET", "_OTHER"});
  for (const char* path : {"/metrics", "/routes", "/tasks", "/connections"}) {
    CAPTURE(std::string(path));
    CHECK(ops_fixture.ask(path).body.find("secret") == std::string::npos);
    CHECK(ops_fixture.ask(path).body.find("SECRET") == std::string::npos);
  }
}

TEST_CASE("a request whose client disconnects is counted as cancelled, and is no longer active") {
  OpsFixture ops_fixture;
  HttpClient client = ops_fixture.client();
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(eventually([&] { return ops_fixture.metrics().value("http_server_active_requests") == 1; }));
  client.reset();
  CHECK(eventually([&] { return ops_fixture.metrics().value("http_server_active_requests") == 0; }));
  Labels labels = series("GET", "/slow", "");
  labels["error_type"] = "cancelled";
  REQUIRE(eventually([&] { return ops_fixture.metrics().has(kCount, labels); }));
  CHECK(ops_fixture.metrics().value(kCount, labels) == 1);
}

TEST_CASE("a stream is active until it ends; its duration ends with its head") {
  OpsFixture ops_fixture;
  HttpClient client = ops_fixture.client();
  client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(client.read_some().starts_with("HTTP/1.1 200"));
  CHECK(ops_fixture.metrics().value("http_server_active_requests") == 1);
  CHECK_FALSE(ops_fixture.metrics().has(kCount, series("GET", "/events", "200")));
  std::this_thread::sleep_for(3s);
  client.reset();
  CHECK(eventually([&] { return ops_fixture.metrics().value("http_server_active_requests") == 0; }));
  REQUIRE(eventually([&] { return ops_fixture.metrics().has(kCount, series("GET", "/events", "200")); }));
  const PrometheusReader metrics = ops_fixture.metrics();
  CHECK(metrics.value(kCount, series("GET", "/events", "200")) == 1);
  CHECK(metrics.value("http_server_request_duration_seconds_sum", series("GET", "/events", "200")) < 3);
}

TEST_CASE("the metrics include connections, workers and the process") {
  OpsFixture ops_fixture;
  const HttpClient client = ops_fixture.client();
  REQUIRE(eventually([&] { return ops_fixture.metrics().value("volt_connections") == 1; }));
  const PrometheusReader metrics = ops_fixture.metrics();
  CHECK(metrics.label_values("volt_worker_polls_total", "worker") == std::set<std::string>{"0", "1"});
  CHECK(metrics.type("volt_worker_polls_total") == "counter");
  CHECK(metrics.value("volt_tasks") == 3);  // two tasks that accept, one that serves
  CHECK(metrics.value("process_resident_memory_bytes") > 100'000);
  CHECK(metrics.value("process_open_fds") > 3);
  CHECK(metrics.value("process_start_time_seconds") > 1.6e9);
  CHECK(ops_fixture.ask("/metrics").field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
}

TEST_CASE("the tracer in the app's state has its counters on the page of metrics") {
  const auto tracer = std::make_shared<tracing::Tracer>(tracing::TracerOptions{.queue_max = 2});
  for (int i = 0; i != 3; ++i) tracer->finish({});
  tracer->count_exported(5);
  Runtime runtime(test_options());
  const auto metrics_of = [&](App app) {
    const MonitoredServer watched{.runtime = runtime,
                                  .server_state = std::make_shared<server::ServerState>(
                                      std::move(app), ServerOptions{}, runtime.worker_count(), runtime.worker_slots())};
    watched.server_state->measure();
    return PrometheusReader(metrics_text(watched));
  };
  App app;
  app.state(tracer);
  const PrometheusReader metrics = metrics_of(std::move(app));
  CHECK(metrics.value("volt_trace_spans_recorded_total") == 3);
  CHECK(metrics.value("volt_trace_spans_exported_total") == 5);
  CHECK(metrics.value("volt_trace_spans_dropped_total") == 1);
  CHECK(metrics.value("volt_trace_spans_waiting") == 2);
  CHECK(metrics.type("volt_trace_spans_dropped_total") == "counter");
  CHECK_FALSE(metrics_of(App()).has("volt_trace_spans_waiting", {}));
}

}  // namespace volt::http::ops
