// SPDX-License-Identifier: MIT

#include "http/ops/ops.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "http/middleware/observe.h"
#include "http/ops/internal/diagnosis.h"
#include "http/ops/internal/history.h"
#include "http/ops/internal/identity.h"
#include "tests/http/ops/ops_fixture.h"

namespace volt::http {

using test::eventually;
using test::HttpClient;
using test::OpsFixture;
using test::Reply;

TEST_SUITE_BEGIN("http/ops/ops");

TEST_CASE("/healthz responds 200 from the start, /readyz as set by set_ready()") {
  OpsFixture ops_fixture;
  CHECK(ops_fixture.ask("/healthz").status == 200);
  CHECK(ops_fixture.ask("/readyz").status == 503);
  CHECK(ops_fixture.ask("/readyz").body == "starting\n");
  CHECK(ops_fixture.metrics().value("volt_ready") == 0);
  ops_fixture.ops().set_ready(true);
  CHECK(ops_fixture.ask("/readyz").status == 200);
  CHECK(ops_fixture.ask("/readyz").body == "ready\n");
  CHECK(ops_fixture.metrics().value("volt_ready") == 1);
  ops_fixture.ops().set_ready(false);
  CHECK(ops_fixture.ask("/readyz").status == 503);
  CHECK(ops_fixture.ask("/readyz").body == "draining\n");
  CHECK(ops_fixture.ask("/healthz").status == 200);
}

TEST_CASE("a draining server is not ready, without a call of set_ready()") {
  OpsFixture ops_fixture;
  ops_fixture.ops().set_ready(true);
  ops_fixture.server().announce_drain();
  CHECK(ops_fixture.ask("/readyz").status == 503);
  CHECK(ops_fixture.ask("/readyz").body == "draining\n");
}

TEST_CASE("handlers that block all workers do not block the probe") {
  OpsFixture ops_fixture;
  std::vector<HttpClient> clients;
  for (int i = 0; i != 4; ++i) {
    clients.push_back(ops_fixture.client());
    clients.back().send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  REQUIRE(eventually([&] { return ops_fixture.metrics().value("http_server_active_requests") >= 2; }));
  CHECK(ops_fixture.ask("/healthz").status == 200);
  CHECK(ops_fixture.metrics().value("http_server_active_requests") >=
        2);  // the workers were still blocked during the probe
  ops_fixture.release();
  for (HttpClient& client : clients) CHECK(client.read().body == "done");
}

TEST_CASE("untrusted hosts are refused on every path") {
  OpsFixture ops_fixture({.allowed_hosts = {"volt.internal"}});
  const struct {
    std::string why;
    std::string host;
    int status;
  } cases[] = {
      {"loopback", "localhost", 200},
      {"an address", "127.0.0.1:" + std::to_string(ops_fixture.ops_port()), 200},
      {"an allowed host", "volt.internal", 200},
      {"a rebound name", "evil.example", 421},
  };
  for (const auto& [why, host, status] : cases) {
    CAPTURE(why);
    for (const char* path : {"/healthz", "/metrics", "/", "/page.js", "/connections"}) {
      CHECK(ops_fixture.operator_client()
                .ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                .status == status);
    }
  }
  CHECK(ops_fixture.operator_client().ask("GET /none HTTP/1.1\r\nHost: evil.example\r\n\r\n").status == 421);
}

TEST_CASE("a page of another site can link to the server, but not send it requests in the background") {
  OpsFixture ops_fixture;
  const struct {
    std::string fields;
    int status;
  } cases[] = {
      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n", 403},
      {"Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n", 403},
      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n", 403},
      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n", 200},
      {"Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n", 200},
      {"Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", 200},
  };
  for (const auto& [fields, status] : cases) {
    CAPTURE(fields);
    const std::string request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n";
    CHECK(ops_fixture.operator_client().ask(request).status == status);
  }
}

TEST_CASE("only GET and HEAD are served, but for /log/levels, without CORS") {
  OpsFixture ops_fixture;
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    CAPTURE(std::string(method));
    const Reply reply = ops_fixture.operator_client().ask(
        std::string(method) + " /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    CHECK(reply.status == 405);
  }
  HttpClient client = ops_fixture.operator_client();
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(client.read(false).status == 200);
  const Reply preflight = ops_fixture.operator_client().ask(
      "OPTIONS /metrics HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
      "Access-Control-Request-Method: GET\r\n\r\n");
  CHECK(preflight.head.find("Access-Control") == std::string::npos);
  const Reply preflight_of_put = ops_fixture.operator_client().ask(
      "OPTIONS /log/levels HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
      "Access-Control-Request-Method: PUT\r\n\r\n");
  CHECK(preflight_of_put.head.find("Access-Control") == std::string::npos);
}

TEST_CASE("/log/levels shows the levels of the log, and PUT changes them if they are valid") {
  OpsFixture ops_fixture;
  const struct {
    std::string why, put;
    int status;
    std::string_view body;
  } cases[] = {
      {"a module", "pg=off", 200, "info, pg=off\n"},
      {"the other levels too", "warning, http=error", 200, "warning, http=error\n"},
      {"no level of that name", "http=loud", 400,
       "\"loud\" is not a log level: use debug, info, warning, error or off\n"},
      {"no module", "", 200, "warning\n"},
  };
  CHECK(ops_fixture.ask("/log/levels").body == "info\n");
  std::string shown = "info\n";
  for (const auto& [why, put, status, body] : cases) {
    CAPTURE(why);
    const Reply reply = ops_fixture.operator_client().ask(
        "PUT /log/levels HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(put.size()) + "\r\n\r\n" +
        put);
    CHECK(reply.status == status);
    CHECK(reply.body == body);
    if (status == 200) shown = body;
    CHECK(ops_fixture.ask("/log/levels").body == shown);
  }
  const Reply rebound = ops_fixture.operator_client().ask(
      "PUT /log/levels HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 3\r\n\r\noff");
  CHECK(rebound.status == 421);
  CHECK(ops_fixture.ask("/log/levels").body == shown);
}

TEST_CASE("the server itself does not serve /log/levels") {
  const OpsFixture ops_fixture;
  CHECK(ops_fixture.client().ask("GET /log/levels HTTP/1.1\r\nHost: a\r\n\r\n").status == 404);
}

TEST_CASE("responses must not be cached, embedded or sniffed") {
  OpsFixture ops_fixture;
  for (const char* path : {"/", "/page.js", "/page.css", "/healthz", "/metrics", "/tasks", "/none"}) {
    CAPTURE(std::string(path));
    const Reply reply = ops_fixture.ask(path);
    CHECK(reply.field("Cache-Control") == "no-store");
    CHECK(reply.field("Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(reply.field("X-Content-Type-Options") == "nosniff");
    CHECK(reply.field("Content-Security-Policy").starts_with("default-src 'none'; script-src 'self';"));
    CHECK(reply.field("Content-Security-Policy").find("unsafe") == std::string::npos);
  }
}

TEST_CASE("the page, its script and its style are served, without content that the policy forbids") {
  OpsFixture ops_fixture;
  const Reply page = ops_fixture.ask("/");
  CHECK(page.field("Content-Type") == "text/html; charset=utf-8");
  CHECK(page.body.starts_with("<!doctype html>"));
  CHECK(page.body.find("<style") == std::string::npos);
  CHECK(page.body.find(" style=") == std::string::npos);
  CHECK(page.body.find("http://") == std::string::npos);
  CHECK(page.body.find("https://") == std::string::npos);
  CHECK(ops_fixture.ask("/page.css").field("Content-Type") == "text/css; charset=utf-8");
  const Reply script = ops_fixture.ask("/page.js");
  CHECK(script.field("Content-Type") == "text/javascript; charset=utf-8");
  CHECK(script.body.ends_with("\n"));
}

TEST_CASE("events contain the data that the page draws") {
  OpsFixture ops_fixture;
  ops_fixture.use("GET /items/1");
  ops_fixture.use("GET /none");
  ops_fixture.use("GET /broken");
  HttpClient client = ops_fixture.operator_client();
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  std::string text;
  while (text.find("}\n\n") == std::string::npos) text += client.read_some();
  const std::size_t begin = text.find("data: ") + 6;
  const auto update = from_json<ops::PageUpdate>(text.substr(begin, text.find("\n\n") - begin));
  REQUIRE(update);
  REQUIRE(update->findings.size() == 1);
  CHECK(update->findings[0].text == "The server is starting: it is not ready yet.");
  const ops::PageSnapshot* const snapshot = &update->snapshot;
  CHECK(snapshot->state == "starting");
  CHECK(snapshot->workers.size() == 2);
  CHECK(snapshot->bounds.size() + 1 == snapshot->routes[0].buckets.size());
  REQUIRE(snapshot->routes.size() == 3);
  CHECK(snapshot->routes[0].route == 0);
  CHECK(snapshot->routes[0].requests == 1);
  CHECK(snapshot->routes[1].failed == 1);
  CHECK(snapshot->routes[2].route == 8);  // no route
  CHECK(snapshot->up_seconds > 0);
  CHECK(snapshot->statuses.success == 1);
  CHECK(snapshot->statuses.client_error == 1);
  CHECK(snapshot->statuses.server_error == 1);
  const ops::PageTables& tables = update->tables;
  REQUIRE(tables.errors.size() == 1);
  CHECK(tables.errors[0].module == "http");
  CHECK(tables.errors[0].route == "/broken");
  CHECK(tables.errors[0].text.starts_with("handler threw an exception "));
  CHECK_FALSE(tables.errors[0].text.contains("path="));
  REQUIRE(tables.phases.size() == 3);
  CHECK(tables.phases[0].route == 0);
  CHECK(tables.phases[0].handler > 0);
  REQUIRE(tables.pools.size() == 1);
  CHECK(tables.pools[0].kind == "blocking");
  CHECK(tables.pools[0].waiting == 0);
}

TEST_CASE("events name the conditions that are not met, although nothing asks for /readyz") {
  App app;
  app.ready_when("database", []() -> Task<bool> {
    co_await sleep_for(std::chrono::milliseconds(1));
    throw std::runtime_error("connection refused");
  });
  Runtime runtime(test_options());
  Server server(runtime, std::move(app));
  OpsServer ops_server(runtime, server);
  const auto asked_at = ops_server.start(*Address::parse("127.0.0.1:0"));
  REQUIRE(asked_at);
  ops_server.set_ready(true);
  HttpClient client(*asked_at);
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::string text;
  CHECK(eventually([&] {
    text += client.read_some();
    return text.contains("Not ready (/readyz responds 503): the condition database: connection refused") &&
           text.contains(R"("state":"not ready")");
  }));
}

TEST_CASE("events list slow requests with their phases, ids and traces") {
  App app;
  app.use(request_id(), trace_context());
  app.get("/slow/{id}", []() -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(30));
    co_return std::string("slow");
  });
  Runtime runtime(test_options());
  Server server(runtime, std::move(app));
  OpsServer ops_server(runtime, server);
  const auto asked_at = ops_server.start(*Address::parse("127.0.0.1:0"));
  const auto served_at = server.listen(*Address::parse("127.0.0.1:0"));
  REQUIRE((asked_at && served_at));
  HttpClient user(*served_at);
  CHECK(user.ask("GET /slow/secret HTTP/1.1\r\nHost: a\r\nX-Request-Id: a-1\r\n"
                 "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n")
            .body == "slow");
  // A request is recorded when its response has been sent, which its client may see before.
  std::string text;
  std::expected<ops::PageUpdate, JsonError> update;
  REQUIRE(eventually([&] {
    HttpClient client(*asked_at);
    client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    text.clear();
    while (text.find("}\n\n") == std::string::npos) text += client.read_some();
    const std::size_t begin = text.find("data: ") + 6;
    update = from_json<ops::PageUpdate>(text.substr(begin, text.find("\n\n") - begin));
    return update && !update->tables.slow.empty();
  }));
  CHECK_FALSE(text.contains("secret"));
  REQUIRE(update->tables.slow.size() == 1);
  const ops::SlowLine& slow = update->tables.slow[0];
  CHECK(slow.method == "GET");
  CHECK(slow.route == "/slow/{id}");
  CHECK(slow.status == 200);
  CHECK(slow.outcome == "complete");
  CHECK(slow.handler >= 0.03);
  CHECK(slow.receive == 0);
  CHECK(slow.send > 0);
  CHECK(slow.request_id == "a-1");
  CHECK(slow.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_CASE("the page can name the service, its version, the host and the process") {
  OpsFixture ops_fixture({.service = "shop", .version = "2.1.0"});
  const auto found = from_json<ops::Identity>(ops_fixture.ask("/identity").body);
  REQUIRE(found);
  CHECK(found->service == "shop");
  CHECK(found->version == "2.1.0");
  CHECK_FALSE(found->volt.empty());
  CHECK_FALSE(found->host.empty());
  CHECK(found->pid == static_cast<std::uint64_t>(::getpid()));
  OpsFixture unnamed;
  CHECK(from_json<ops::Identity>(unnamed.ask("/identity").body)->service == "http_tests");
}

TEST_CASE("the history is there from the start") {
  OpsFixture ops_fixture;
  const auto history = from_json<ops::HistoryReport>(ops_fixture.ask("/history").body);
  REQUIRE(history);
  CHECK(history->interval_seconds == 10);
  CHECK(history->points.empty());  // the first interval has not ended
}

TEST_CASE("events are sent once a second, to at most 16 pages") {
  OpsFixture ops_fixture;
  std::vector<HttpClient> pages;
  for (int i = 0; i != 16; ++i) {
    pages.push_back(ops_fixture.operator_client());
    pages.back().send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string text;
    while (text.find("data: ") == std::string::npos) text += pages.back().read_some();
  }
  HttpClient refused = ops_fixture.operator_client();
  refused.send("GET /events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  std::string text;
  for (std::string more = refused.read_some(); !more.empty(); more = refused.read_some()) text += more;
  CHECK(text.find("retry: 30000") != std::string::npos);
  CHECK(text.find("data: ") == std::string::npos);
  CHECK_FALSE(pages.front().read_some().empty());
}

TEST_CASE("an address in use is reported") {
  OpsFixture ops_fixture;
  Runtime runtime(test_options());
  Server server(runtime, App());
  OpsServer second(runtime, server);
  const auto taken = second.start(*Address::parse("127.0.0.1:" + std::to_string(ops_fixture.ops_port())));
  REQUIRE_FALSE(taken);
  CHECK(taken.error() == std::errc::address_in_use);
}

TEST_CASE("after stop() the ops server is unreachable, and the server keeps serving") {
  OpsFixture ops_fixture;
  HttpClient page = ops_fixture.operator_client();
  page.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK_FALSE(page.read_some().empty());
  ops_fixture.ops().stop();
  CHECK_THROWS(static_cast<void>(ops_fixture.ask("/healthz")));
  CHECK(ops_fixture.client().ask("GET /items/1 HTTP/1.1\r\nHost: a\r\n\r\n").status == 200);
  ops_fixture.ops().stop();
}

}  // namespace volt::http
