#include "http/ops/ops.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "http/ops/internal/pulse.h"
#include "tests/http/ops/watching.h"

namespace volt::http {

using test::eventually;
using test::HttpClient;
using test::Reply;
using test::Watching;

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
  watching.server().announce_drain();
  CHECK(watching.ask("/readyz").status == 503);
  CHECK(watching.ask("/readyz").body == "draining\n");
}

TEST_CASE("handlers that hold up all workers do not hold up the probe") {
  Watching watching;
  std::vector<HttpClient> clients;
  for (int i = 0; i != 4; ++i) {
    clients.push_back(watching.client());
    clients.back().send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  REQUIRE(eventually([&] { return watching.metrics().value("http_server_active_requests") >= 2; }));
  CHECK(watching.ask("/healthz").status == 200);
  CHECK(watching.metrics().value("http_server_active_requests") >= 2);  // it was asked meanwhile
  watching.release();
  for (HttpClient& client : clients) CHECK(client.read().body == "done");
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
  CHECK(pulse->routes[2].route == 7);  // no route
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
