// SPDX-License-Identifier: MIT

#include "http/ops/internal/collected_metrics.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "http/metrics/metrics.h"
#include "http/ops/ops.h"
#include "http/server/app.h"
#include "http/server/server.h"
#include "http/web/extract.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/http/ops/prometheus_reader.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::http {

using test::eventually;
using test::PrometheusReader;
using test::Reply;

namespace {

struct Order {
  std::string kind;
};

struct Target {
  int port;
};

// A server, and an ops server that monitors it.
class Monitored {
 public:
  explicit Monitored(App app, ListenerOptions options = {})
      : server_(runtime_, std::move(app), kPatient), ops_(runtime_, server_) {
    const auto asked_at = ops_.start(*Address::parse("127.0.0.1:0"));
    const auto served_at = server_.listen(*Address::parse("127.0.0.1:0"), std::move(options));
    REQUIRE(asked_at);
    REQUIRE(served_at);
    ops_address_ = *asked_at;
    address_ = *served_at;
    ops_.set_ready(true);
  }

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  [[nodiscard]] const Address& ops_address() const noexcept { return ops_address_; }
  [[nodiscard]] Reply ask(std::string_view path) const { return ask(ops_address_, path); }
  [[nodiscard]] Reply get(std::string_view path) const { return ask(address_, path); }
  [[nodiscard]] PrometheusReader metrics() const { return PrometheusReader(ask("/metrics").body); }
  [[nodiscard]] Server& server() noexcept { return server_; }

 private:
  // Requests that wait for a stuck worker are not refused.
  static constexpr ServerOptions kPatient{.queue_delay_max = std::chrono::milliseconds(0)};

  static Reply ask(const Address& address, std::string_view path) {
    return test::HttpClient(address).ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  Runtime runtime_{test_options()};
  Server server_;
  OpsServer ops_;
  Address ops_address_;
  Address address_;
};

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/collected_metrics");

TEST_CASE("metrics of the app are on /metrics, with values that are escaped") {
  App app;
  const auto orders = app.metrics().counter("orders_total", "Orders\\ placed,\nby kind.", {"kind"});
  const Gauge level = app.metrics().gauge("level", "Level.");
  const Histogram took = app.metrics().histogram("took_seconds", "Took.", {.bounds = {0.5, 1}});
  app.get("/order", [orders, level, took](Query<Order> order) {
    orders.with(order->kind).add();
    level.set(1e-7);
    took.record(0.75);
    return "";
  });
  const Monitored monitored(std::move(app));
  CHECK(monitored.metrics().value("level") == 0);
  CHECK(monitored.get("/order?kind=book").status == 200);
  CHECK(monitored.get("/order?kind=%22%5C%0A").status == 200);
  const PrometheusReader metrics = monitored.metrics();
  CHECK(metrics.type("orders_total") == "counter");
  CHECK(metrics.value("orders_total", {{"kind", "book"}}) == 1);
  CHECK(metrics.value("orders_total", {{"kind", "\"\\\n"}}) == 1);
  CHECK(metrics.value("level") == 1e-7);
  CHECK(metrics.value("took_seconds_bucket", {{"le", "0.5"}}) == 0);
  CHECK(metrics.value("took_seconds_bucket", {{"le", "1"}}) == 2);
  CHECK(metrics.value("took_seconds_bucket", {{"le", "+Inf"}}) == 2);
  CHECK(metrics.value("took_seconds_sum") == 1.5);
  CHECK(monitored.ask("/metrics").body.contains("# HELP orders_total Orders\\\\ placed,\\nby kind.\n"));
}

TEST_CASE("a source of the app cannot repeat a family of Volt") {
  App app;
  app.metrics().add([](MetricSink& sink) { sink.gauge("volt_connections", "Mine.", {}, 77); });
  const Monitored monitored(std::move(app));
  CHECK(monitored.metrics().value("volt_connections") != 77);
}

TEST_CASE("refused connections are counted by reason") {
  const Monitored monitored(App(), {.proxy_protocol_from = {"127.0.0.1"}, .transport = {}});
  for (const char* reason : {"client_connections", "descriptors", "proxy_header", "handshake"}) {
    CHECK(monitored.metrics().value("volt_connections_refused_total", {{"reason", reason}}) == 0);
  }
  test::HttpClient(monitored.address()).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");  // without a PROXY header
  CHECK(eventually(
      [&] { return monitored.metrics().value("volt_connections_refused_total", {{"reason", "proxy_header"}}) == 1; }));
}

TEST_CASE("an HTTP client that the app owns reports its connections and errors") {
  App app;
  app.state(std::make_shared<HttpClient>(ClientOptions{.connect_timeout = std::chrono::seconds(5), .name = "shop"}));
  app.get("/there", [] { return "there"; });
  app.get("/fetch", [](State<std::shared_ptr<HttpClient>> client, Query<Target> target) -> Task<Status> {
    ClientRequest request(Method::get, "http://127.0.0.1:" + std::to_string(target->port) + "/there");
    Result<ClientResponse> response = co_await (*client)->send(std::move(request));
    if (!response) co_return Status::bad_gateway;
    const Result<std::string> text = co_await response->text();
    co_return text ? response->status() : Status::bad_gateway;
  });
  const Monitored monitored(std::move(app));
  const auto value = [&](const std::string& name, PrometheusReader::Labels labels) {
    labels.emplace("client", "shop");
    return monitored.metrics().value(name, labels);
  };
  CHECK(value("volt_http_client_connections", {{"state", "idle"}}) == 0);
  for (int i = 0; i != 2; ++i) {
    CHECK(monitored.get("/fetch?port=" + std::to_string(monitored.address().port())).status == 200);
  }
  CHECK(value("volt_http_client_connections", {{"state", "idle"}}) == 1);
  CHECK(value("volt_http_client_connections", {{"state", "active"}}) == 0);
  CHECK(value("volt_http_client_connections", {{"state", "connecting"}}) == 0);
  CHECK(value("volt_http_client_requests_total", {}) == 2);
  CHECK(value("volt_http_client_connect_seconds_count", {}) == 1);
  CHECK(monitored.get("/fetch?port=1").status == 502);
  CHECK(value("volt_http_client_errors_total", {{"reason", "connect"}}) == 1);
  CHECK(value("volt_http_client_errors_total", {{"reason", "timeout"}}) == 0);
}

TEST_CASE("/readyz names the checks that fail, and a drain comes first") {
  constexpr ReadyOptions kPatient{.timeout = std::chrono::seconds(15), .cache = std::chrono::milliseconds(0)};
  base::Atomic<bool> passes{false};
  App app;
  app.ready_when(
      "db",
      [&passes]() -> Task<bool> {
        co_await yield();
        if (!passes.load()) throw std::runtime_error("connection refused");
        co_return true;
      },
      kPatient);
  app.ready_when("cache", [&passes]() -> Task<bool> { co_return passes.load(); }, kPatient);
  Monitored monitored(std::move(app));
  const Reply refused = monitored.ask("/readyz");
  CHECK(refused.status == 503);
  CHECK(refused.body == "not ready: db: connection refused\nnot ready: cache: the check returned false\n");
  CHECK(refused.field("Retry-After") == "1");
  CHECK(monitored.metrics().value("volt_ready") == 0);
  CHECK(monitored.metrics().value("volt_ready_check", {{"check", "db"}}) == 0);
  passes.store(true);
  CHECK(monitored.ask("/readyz").body == "ready\n");
  CHECK(monitored.metrics().value("volt_ready") == 1);
  CHECK(monitored.metrics().value("volt_ready_check", {{"check", "db"}}) == 1);
  passes.store(false);
  monitored.server().announce_drain();
  CHECK(monitored.ask("/readyz").body == "draining\n");
}

TEST_CASE("a check of stuck workers fails in time") {
  base::Atomic<bool> released{false};
  App app;
  app.get("/hold", [&released] {
    static_cast<void>(eventually([&] { return released.load(); }));
    return "done";
  });
  app.ready_when("db", []() -> Task<bool> { co_return true; },
                 {.timeout = std::chrono::milliseconds(50), .cache = std::chrono::milliseconds(0)});
  const Monitored monitored(std::move(app));
  CHECK(eventually([&] { return monitored.ask("/readyz").status == 200; }));
  std::vector<test::HttpClient> clients;
  for (int i = 0; i != 4; ++i) {
    clients.emplace_back(monitored.address());
    clients.back().send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  const bool all_stuck = eventually([&] {
    const Reply reply = monitored.ask("/readyz");
    return reply.status == 503 && reply.body == "not ready: db: no result within 50 ms\n";
  });
  CHECK(all_stuck);
  released.store(true);
  for (test::HttpClient& client : clients) CHECK(client.read().body == "done");
  CHECK(eventually([&] { return monitored.ask("/readyz").status == 200; }));
}

TEST_CASE("the ops server may end while a check runs") {
  base::Atomic<int> begun{0};
  App app;
  app.ready_when("db", [&begun]() -> Task<bool> {
    begun.fetch_add(1);
    co_await sleep_for(std::chrono::milliseconds(100));
    co_return true;
  });
  const Monitored monitored(std::move(app));
  test::HttpClient client(monitored.ops_address());
  client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(eventually([&] { return begun.load() == 1; }));
}

TEST_SUITE_END();

}  // namespace volt::http
