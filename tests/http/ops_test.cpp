#include "http/ops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "http/event_stream.h"
#include "http/extract.h"
#include "http/json.h"
#include "http/ops/pulse.h"
#include "http/ops/reports.h"
#include "runtime/time.h"
#include "tests/http/ops/prometheus_reader.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::HttpClient;
using test::PrometheusReader;
using test::Reply;
using Labels = PrometheusReader::Labels;

App app_with_many_routes() {
  App app;
  app.get("/items/{id}", [](Path<std::string> id) { return *id; });
  app.post("/items/{id}", [] { return Status::conflict; });
  app.get("/broken", []() -> std::string { throw std::runtime_error("broken"); });
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(1h);
    co_return "";
  });
  app.get("/spin", [] {
    test::burn(300ms);
    return "done";
  });
  app.get("/events", [](EventStream& out) -> Task<> {
    co_await out.send("first");
    co_await sleep_for(1h);
  });
  return app;
}

// A server that is watched, and who asks about it.
class Watching {
 public:
  explicit Watching(OpsOptions options = {}, std::uint32_t workers = 2, App app = app_with_many_routes())
      : runtime_(test_options(workers)), server_(runtime_, std::move(app)), ops_(runtime_, server_, options) {
    const auto asked_at = ops_.start(*Address::parse("127.0.0.1:0"));
    REQUIRE(asked_at);
    ops_address_ = *asked_at;
    const auto served_at = server_.listen(*Address::parse("127.0.0.1:0"));
    REQUIRE(served_at);
    address_ = *served_at;
  }

  [[nodiscard]] HttpClient client() const { return HttpClient(address_); }
  [[nodiscard]] HttpClient operator_client() const { return HttpClient(ops_address_); }
  [[nodiscard]] Reply ask(std::string_view path) const {
    return operator_client().ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  // A request to the server, whose answer does not matter.
  void use(const std::string& method_and_target, const std::string& body = {}) const {
    static_cast<void>(client().ask(method_and_target + " HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n\r\n" + body));
  }
  [[nodiscard]] PrometheusReader metrics() const { return PrometheusReader(ask("/metrics").body); }
  template <class T>
  [[nodiscard]] T report(std::string_view path) const {
    auto report = from_json<T>(ask(path).body);
    REQUIRE(report);
    return *report;
  }

  [[nodiscard]] OpsServer& ops() noexcept { return ops_; }
  [[nodiscard]] Server& server() noexcept { return server_; }
  [[nodiscard]] std::uint16_t ops_port() const noexcept { return ops_address_.port(); }

 private:
  Runtime runtime_;
  Server server_;
  OpsServer ops_;
  Address ops_address_;
  Address address_;
};

constexpr const char* kCount = "http_server_request_duration_seconds_count";

Labels series(const std::string& method, const std::string& route, const std::string& status) {
  Labels labels = {{"http_request_method", method}};
  if (!route.empty()) labels["http_route"] = route;
  if (!status.empty()) labels["http_response_status_code"] = status;
  if (status.starts_with('5')) labels["error_type"] = status;
  return labels;
}

}  // namespace

TEST_SUITE_BEGIN("http/ops");

TEST_CASE("alive from the start, ready when told so, until told otherwise") {
  Watching watching;
  CHECK(watching.ask("/healthz").status == 200);
  CHECK(watching.ask("/readyz").status == 503);
  CHECK(watching.ask("/readyz").body == "starting\n");
  CHECK(watching.metrics().value("volt_ready") == 0);
  watching.ops().set_ready(true);
  CHECK(watching.ask("/readyz").status == 200);
  CHECK(watching.ask("/readyz").body == "ready\n");
  CHECK(watching.metrics().value("volt_ready") == 1);
  watching.ops().set_ready(false);
  CHECK(watching.ask("/readyz").status == 503);
  CHECK(watching.ask("/readyz").body == "draining\n");
  CHECK(watching.ask("/healthz").status == 200);
}

TEST_CASE("a server that drains is not ready, though nobody said so") {
  Watching watching;
  watching.ops().set_ready(true);
  watching.server().start_drain();
  CHECK(watching.ask("/readyz").status == 503);
  CHECK(watching.ask("/readyz").body == "draining\n");
}

TEST_CASE("handlers that hold up all workers do not hold up the probe") {
  Watching watching;
  std::vector<HttpClient> clients;
  for (int i = 0; i != 4; ++i) {
    clients.push_back(watching.client());
    clients.back().send("GET /spin HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  REQUIRE(eventually([&] { return watching.metrics().value("http_server_active_requests") >= 2; }));
  const auto start = std::chrono::steady_clock::now();
  CHECK(watching.ask("/healthz").status == 200);
  CHECK(std::chrono::steady_clock::now() - start < 150ms);
  CHECK(watching.metrics().value("http_server_active_requests") >= 1);  // it was asked meanwhile
  for (HttpClient& client : clients) CHECK(client.read().body == "done");
}

TEST_CASE("a stall is told with the route that causes it") {
  Watching watching;
  watching.use("GET /spin?secret=1");
  CHECK(watching.metrics().value("volt_route_stalls_total",
                                 {{"http_request_method", "GET"}, {"http_route", "/spin"}}) >= 1);
}

TEST_CASE("requests are counted by method, pattern and status") {
  Watching watching;
  for (const char* id : {"1", "2", "3"}) watching.use("GET /items/" + std::string(id) + "?secret=1");
  watching.use("POST /items/1", "text");
  watching.use("GET /broken");
  watching.use("GET /none/1");
  watching.use("GET /none/2");
  watching.use("PUT /items/1");
  static_cast<void>(watching.client().ask("BREW /items/1 HTTP/1.1\r\nHost: a\r\n\r\n"));
  static_cast<void>(watching.client().ask("no request\r\n\r\n"));
  const PrometheusReader metrics = watching.metrics();
  CHECK(metrics.type("http_server_request_duration_seconds") == "histogram");
  const struct {
    std::string why;
    Labels labels;
    double count;
  } cases[] = {
      {"one series for all ids", series("GET", "/items/{id}", "200"), 3},
      {"another method", series("POST", "/items/{id}", "409"), 1},
      {"an error has its type", series("GET", "/broken", "500"), 1},
      {"no route, whatever the path", series("GET", "", "404"), 2},
      {"no route for the method", series("PUT", "", "405"), 1},
      {"an unknown method", series("_OTHER", "", "501"), 1},
      {"no HTTP", series("_OTHER", "", "400"), 1},
  };
  for (const auto& [why, labels, count] : cases) {
    CAPTURE(why);
    CHECK(metrics.has(kCount, labels));
    if (metrics.has(kCount, labels)) CHECK(metrics.value(kCount, labels) == count);
  }
  CHECK(metrics.label_values(kCount, "http_route") == std::set<std::string>{"", "/broken", "/items/{id}"});
}

TEST_CASE("what clients send makes no series and is not told") {
  Watching watching;
  for (int i = 0; i != 50; ++i) {
    watching.use("GET /secret-path-" + std::to_string(i) + "?secret-query=1");
    static_cast<void>(watching.client().ask("SECRET" + std::to_string(i) + " / HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  HttpClient waiting = watching.client();
  waiting.send("GET /slow?secret-query=1 HTTP/1.1\r\nHost: secret-host\r\nCookie: secret=1\r\nX: secret\r\n\r\n");
  REQUIRE(eventually([&] { return watching.metrics().value("http_server_active_requests") == 1; }));
  CHECK(watching.metrics().label_values(kCount, "http_route") == std::set<std::string>{""});
  CHECK(watching.metrics().label_values(kCount, "http_request_method") == std::set<std::string>{"GET", "_OTHER"});
  for (const char* path : {"/metrics", "/routes", "/tasks", "/connections"}) {
    CAPTURE(std::string(path));
    CHECK(watching.ask(path).body.find("secret") == std::string::npos);
    CHECK(watching.ask(path).body.find("SECRET") == std::string::npos);
  }
}

TEST_CASE("a client that goes before its answer is counted, and is under way no more") {
  Watching watching;
  HttpClient client = watching.client();
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(eventually([&] { return watching.metrics().value("http_server_active_requests") == 1; }));
  client.reset();
  CHECK(eventually([&] { return watching.metrics().value("http_server_active_requests") == 0; }));
  Labels labels = series("GET", "/slow", "");
  labels["error_type"] = "cancelled";
  CHECK(watching.metrics().value(kCount, labels) == 1);
}

TEST_CASE("a stream is under way until it ends, its duration is until its head") {
  Watching watching;
  HttpClient client = watching.client();
  client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(client.read_some().starts_with("HTTP/1.1 200"));
  CHECK(watching.metrics().value("http_server_active_requests") == 1);
  CHECK_FALSE(watching.metrics().has(kCount, series("GET", "/events", "200")));
  test::burn(30ms);
  client.reset();
  CHECK(eventually([&] { return watching.metrics().value("http_server_active_requests") == 0; }));
  const PrometheusReader metrics = watching.metrics();
  CHECK(metrics.value(kCount, series("GET", "/events", "200")) == 1);
  CHECK(metrics.value("http_server_request_duration_seconds_sum", series("GET", "/events", "200")) < 0.03);
}

TEST_CASE("the metrics tell of connections, workers and the process") {
  Watching watching;
  const HttpClient client = watching.client();
  REQUIRE(eventually([&] { return watching.metrics().value("volt_connections") == 1; }));
  const PrometheusReader metrics = watching.metrics();
  CHECK(metrics.label_values("volt_worker_polls_total", "worker") == std::set<std::string>{"0", "1"});
  CHECK(metrics.type("volt_worker_polls_total") == "counter");
  CHECK(metrics.value("volt_tasks") == 3);  // two that accept, one that serves
  CHECK(metrics.value("process_resident_memory_bytes") > 100'000);
  CHECK(metrics.value("process_open_fds") > 3);
  CHECK(metrics.value("process_start_time_seconds") > 1.6e9);
  CHECK(watching.ask("/metrics").field("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
}

TEST_CASE("the routes are listed as they were added") {
  Watching watching;
  const auto report = watching.report<ops::RoutesReport>("/routes");
  REQUIRE(report.routes.size() == 6);
  CHECK(report.routes[1].method == "POST");
  CHECK(report.routes[1].pattern == "/items/{id}");
  CHECK(report.routes[1].origin.starts_with("ops_test.cpp:"));
}

TEST_CASE("connections and tasks tell what they do") {
  Watching watching;
  HttpClient idle = watching.client();
  CHECK(idle.ask("GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  CHECK(idle.ask("GET /items/2 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  HttpClient busy = watching.client();
  busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  ops::ConnectionsReport report;
  const auto line_of = [&](std::optional<std::string> route) {
    return std::ranges::find(report.connections, route, &ops::ConnectionLine::route);
  };
  REQUIRE(eventually([&] {
    report = watching.report<ops::ConnectionsReport>("/connections");
    const auto slow = line_of("/slow");
    return report.open == 2 && slow != report.connections.end() && slow->state == "timer";
  }));
  CHECK(line_of("/slow")->requests == 1);
  const auto other = line_of(std::nullopt);
  REQUIRE(other != report.connections.end());
  CHECK(other->state == "idle");
  CHECK(other->requests == 2);
  CHECK(other->client.starts_with("127.0.0.1:"));
  CHECK(other->age_seconds >= 0);
  CHECK(other->age_seconds < 60);

  const auto tasks = watching.report<ops::TasksReport>("/tasks");
  CHECK(tasks.live == 4);
  REQUIRE(tasks.tasks.size() == 4);
  const auto serving = std::ranges::find(tasks.tasks, line_of("/slow")->task, &ops::TaskLine::id);
  REQUIRE(serving != tasks.tasks.end());
  CHECK(serving->waits_for == "timer");
  CHECK(serving->connection);
  CHECK(serving->route == "/slow");
  CHECK(std::ranges::count(tasks.tasks, true, &ops::TaskLine::connection) == 2);
}

TEST_CASE("names that are not ours are refused, whatever is asked") {
  Watching watching({.hosts = {"volt.internal"}});
  const struct {
    std::string why;
    std::string host;
    int status;
  } cases[] = {
      {"loopback", "localhost", 200},
      {"an address", "127.0.0.1:" + std::to_string(watching.ops_port()), 200},
      {"a name of ours", "volt.internal", 200},
      {"a rebound name", "evil.example", 421},
  };
  for (const auto& [why, host, status] : cases) {
    CAPTURE(why);
    for (const char* path : {"/healthz", "/metrics", "/", "/page.js", "/connections"}) {
      CHECK(watching.operator_client()
                .ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                .status == status);
    }
  }
  CHECK(watching.operator_client().ask("GET /none HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 421);
}

TEST_CASE("it is read, and nothing else") {
  Watching watching;
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    CAPTURE(std::string(method));
    const Reply reply = watching.operator_client().ask(
        std::string(method) + " /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    CHECK(reply.status == 405);
  }
  HttpClient client = watching.operator_client();
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(client.read(false).status == 200);
  const Reply preflight = watching.operator_client().ask(
      "OPTIONS /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
      "Access-Control-Request-Method: GET\r\n\r\n");
  CHECK(preflight.head.find("Access-Control") == std::string::npos);
}

TEST_CASE("no answer is kept, embedded or guessed at") {
  Watching watching;
  for (const char* path : {"/", "/page.js", "/page.css", "/healthz", "/metrics", "/tasks", "/none"}) {
    CAPTURE(std::string(path));
    const Reply reply = watching.ask(path);
    CHECK(reply.field("Cache-Control") == "no-store");
    CHECK(reply.field("Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(reply.field("X-Content-Type-Options") == "nosniff");
    CHECK(reply.field("Content-Security-Policy").starts_with("default-src 'none'; script-src 'self';"));
    CHECK(reply.field("Content-Security-Policy").find("unsafe") == std::string::npos);
  }
}

TEST_CASE("the page and what it loads are there, with nothing that the policy forbids") {
  Watching watching;
  const Reply page = watching.ask("/");
  CHECK(page.field("Content-Type") == "text/html; charset=utf-8");
  CHECK(page.body.starts_with("<!doctype html>"));
  CHECK(page.body.find("<style") == std::string::npos);
  CHECK(page.body.find(" style=") == std::string::npos);
  CHECK(page.body.find("http://") == std::string::npos);
  CHECK(page.body.find("https://") == std::string::npos);
  CHECK(watching.ask("/page.css").field("Content-Type") == "text/css; charset=utf-8");
  const Reply script = watching.ask("/page.js");
  CHECK(script.field("Content-Type") == "text/javascript; charset=utf-8");
  CHECK(script.body.ends_with("\n"));
}

TEST_CASE("events tell what the page draws") {
  Watching watching;
  watching.use("GET /items/1");
  watching.use("GET /none");
  watching.use("GET /broken");
  HttpClient client = watching.operator_client();
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  std::string text;
  while (text.find("}\n\n") == std::string::npos) text += client.read_some();
  const std::size_t begin = text.find("data: ") + 6;
  const auto pulse = from_json<ops::Pulse>(text.substr(begin, text.find("\n\n") - begin));
  REQUIRE(pulse);
  CHECK(pulse->state == "starting");
  CHECK(pulse->workers.size() == 2);
  CHECK(pulse->bounds.size() + 1 == pulse->routes[0].buckets.size());
  REQUIRE(pulse->routes.size() == 3);
  CHECK(pulse->routes[0].route == 0);
  CHECK(pulse->routes[0].requests == 1);
  CHECK(pulse->routes[1].failed == 1);
  CHECK(pulse->routes[2].route == 6);  // no route
  CHECK(pulse->up_seconds > 0);
}

TEST_CASE("events go on, once a second, and go to no more pages than are drawn") {
  Watching watching;
  std::vector<HttpClient> pages;
  for (int i = 0; i != 16; ++i) {
    pages.push_back(watching.operator_client());
    pages.back().send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string text;
    while (text.find("data: ") == std::string::npos) text += pages.back().read_some();
  }
  HttpClient refused = watching.operator_client();
  refused.send("GET /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  std::string text;
  for (std::string more = refused.read_some(); !more.empty(); more = refused.read_some()) text += more;
  CHECK(text.find("retry: 30000") != std::string::npos);
  CHECK(text.find("data: ") == std::string::npos);
  CHECK_FALSE(pages.front().read_some().empty());
}

TEST_CASE("what is wrong with the address is told") {
  Watching watching;
  Runtime runtime(test_options());
  Server server(runtime, App());
  OpsServer second(runtime, server);
  const auto taken = second.start(*Address::parse("127.0.0.1:" + std::to_string(watching.ops_port())));
  REQUIRE_FALSE(taken);
  CHECK(taken.error() == std::errc::address_in_use);
}

TEST_CASE("stopped, it is gone, and the server serves on") {
  Watching watching;
  HttpClient page = watching.operator_client();
  page.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_FALSE(page.read_some().empty());
  watching.ops().stop();
  CHECK_THROWS(static_cast<void>(watching.ask("/healthz")));
  CHECK(watching.client().ask("GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  watching.ops().stop();
}

}  // namespace volt::http
