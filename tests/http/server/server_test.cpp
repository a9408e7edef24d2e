// SPDX-License-Identifier: MIT

#include "http/server/server.h"

#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/blocking.h"
#include "runtime/per_worker.h"
#include "runtime/time.h"
#include "tests/support/directory.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kGetLater = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";

App slow_app() {
  App app;
  app.get("/", [] { return "hello"; });
  app.get("/later", [](Request&) -> Task<std::string> {
    co_await sleep_for(300ms);
    co_return "late";
  });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/server");

TEST_CASE("an exception of a handler is one 500, and its connection goes on") {
  App app = slow_app();
  app.get("/plain", []() -> Response { throw std::runtime_error("decided by the test"); });
  app.get("/odd", []() -> Response { throw 42; });
  app.get("/coroutine", [](Request&) -> Task<Response> {
    co_await sleep_for(1ms);
    throw std::runtime_error("decided by the test");
  });
  app.get("/at_once", [](Request&) -> Task<Response> { throw std::runtime_error("decided by the test"); });
  app.get("/interim", [] { return Response(Status::early_hints); });
  app.get("/split", [] { return std::move(Response().header("A", "b\r\nSet-Cookie: c")); });
  app.get("/joined", [](Request&) -> Task<Response> {
    JoinHandle<void> child = spawn([]() -> Task<> { co_await sleep_for(30s); });
    child.cancel();
    co_await std::move(child);
    co_return Response();
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  for (const std::string path : {"/plain", "/odd", "/coroutine", "/at_once", "/interim", "/split", "/joined"}) {
    CAPTURE(path);
    const Reply reply = client.ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(reply.status == 500);
    CHECK(reply.body == R"({"title":"Internal Server Error","status":500})");
    CHECK(client.ask(kGet).body == "hello");
  }
}

TEST_CASE("handlers may await sleeps, tasks and blocking calls") {
  App app = slow_app();
  app.post("/blocking", [](Request& request) -> Task<std::string> {
    const std::string body(request.body());
    const std::size_t size = co_await blocking([&] { return body.size(); });
    co_return std::to_string(size);
  });
  app.del("/void", [](Request&) -> Task<> { co_await sleep_for(1ms); });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  CHECK(client.ask("POST /blocking HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc").body == "3");
  CHECK(client.ask("DELETE /void HTTP/1.1\r\nHost: a\r\n\r\n").status == 204);
  CHECK(client.ask(kGetLater).body == "late");
}

TEST_CASE("listening on a port in use fails with address_in_use") {
  ServedApp served(slow_app());
  Runtime runtime(test_options());
  Server second(runtime, slow_app());
  const auto bound = second.listen(served.address());
  REQUIRE_FALSE(bound);
  CHECK(bound.error() == std::errc::address_in_use);
  HttpClient client(served.port());
  CHECK(client.ask(kGet).body == "hello");
}

TEST_CASE("a server listens on several addresses of several families") {
  const test::Directory directory;
  Runtime runtime(test_options());
  Server server(runtime, slow_app());
  std::vector<Address> addresses;
  for (const std::string& text : {std::string("127.0.0.1:0"), std::string("[::1]:0"), directory.unix_address("app"),
                                  "unix:@volt_server_test." + std::to_string(::getpid())}) {
    CAPTURE(text);
    const auto bound = server.listen(*Address::parse(text));
    REQUIRE(bound);
    addresses.push_back(*bound);
  }
  auto made_elsewhere = TcpListener::bind(*Address::parse("127.0.0.1:0"));
  REQUIRE(made_elsewhere);
  addresses.push_back(made_elsewhere->local_address());
  server.listen(std::move(*made_elsewhere));
  std::vector<HttpClient> clients;
  for (const Address& address : addresses) {
    CAPTURE(address.to_string());
    for (int i = 0; i != 4; ++i) {
      clients.emplace_back(address);
      CHECK(clients.back().ask(kGet).body == "hello");
    }
  }
  CHECK(server.connection_count() == clients.size());
  std::jthread drain([&] {
    server.start_drain();
    CHECK(test::eventually([&] { return server.nudge(), server.drained(); }));
  });
  for (HttpClient& client : clients) {
    CHECK(client.end() == HttpClient::End::closed);
    client.close();
  }
  drain.join();
  for (const Address& address : addresses) CHECK_THROWS_AS(HttpClient{address}, std::runtime_error);
}

TEST_CASE("the connections of a single listener are placed on every worker") {
  const test::Directory directory;
  Runtime runtime(test_options(2));
  App app;
  app.get("/", [] { return std::to_string(this_worker()); });
  Server server(runtime, std::move(app));
  const auto bound = server.listen(*Address::parse(directory.unix_address("app")));
  REQUIRE(bound);
  std::vector<HttpClient> clients;
  for (int i = 0; i != 32; ++i) clients.emplace_back(*bound);
  REQUIRE(test::eventually([&] { return server.connection_count() == clients.size(); }));
  for (HttpClient& client : clients) CHECK(client.ask(kGet).status == 200);
  for (const WorkerMetrics& worker : runtime.metrics().workers) CHECK(worker.descriptors != 0);  // some may have moved
}

TEST_CASE("a drain completes requests in progress, with Connection: close") {
  base::Atomic<bool> begun{false}, draining{false};
  App app = slow_app();
  app.get("/held", [&begun, &draining]() -> Task<std::string> {
    begun.store(true);
    while (!draining.load()) co_await sleep_for(1ms);
    co_return "held";
  });
  ServedApp served(std::move(app), {.drain_idle_timeout = 10s, .queue_delay_max = 0ms});
  HttpClient busy(served.port());
  busy.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  HttpClient in_head(served.port());
  in_head.send("GET / HTTP/1.1\r\nHo");
  HttpClient idle(served.port());
  CHECK(idle.ask(kGet).body == "hello");
  HttpClient fresh(served.port());
  REQUIRE(served.has_connections(4));
  REQUIRE(test::eventually([&] { return begun.load(); }));
  served.server().start_drain();
  std::jthread drain([&] { CHECK(served.drain()); });
  draining.store(true);
  in_head.send("st: a\r\n\r\n");
  for (HttpClient* client : {&idle, &fresh}) client->send(kGet);
  for (HttpClient* client : {&busy, &in_head, &idle, &fresh}) {
    const Reply reply = client->read();
    CHECK(reply.status == 200);
    CHECK(reply.closes());
    CHECK(client->end() == HttpClient::End::closed);
    client->close();
  }
}

TEST_CASE("an announced drain closes each connection with its response, and still accepts new ones") {
  ServedApp served(slow_app());
  HttpClient before(served.port());
  CHECK(!before.ask(kGet).closes());
  served.server().announce_drain();
  CHECK(before.ask(kGet).closes());
  HttpClient after(served.port());
  CHECK(after.ask(kGet).closes());
  before.close();
  after.close();
  CHECK(served.has_connections(0));
  CHECK(!served.server().drained());
  CHECK(served.drain());
}

TEST_CASE("a drain closes idle connections after drain_idle_timeout, and resets none") {
  ServedApp served(slow_app(), {.drain_idle_timeout = 100ms});
  std::vector<HttpClient> clients;
  for (int i = 0; i != 20; ++i) {
    clients.emplace_back(served.port());
    if (i % 2 == 0) CHECK(clients.back().ask(kGet).status == 200);
    if (i % 3 == 0) clients.back().send("\r\n");  // empty lines are not part of a request
  }
  REQUIRE(served.has_connections(clients.size()));
  std::jthread drain([&] { CHECK(served.drain()); });
  for (HttpClient& client : clients) {
    CHECK(client.end() == HttpClient::End::closed);
    client.close();
  }
}

TEST_CASE("a drain serves the clients in the queue of a listener, then closes it") {
  for (int round = 0; round != 10; ++round) {
    ServedApp served(slow_app());
    std::vector<HttpClient> clients;
    for (int i = 0; i != 30; ++i) {
      clients.emplace_back(served.port());
      clients.back().send(kGet);
    }
    std::jthread drain([&] { CHECK(served.drain()); });
    for (HttpClient& client : clients) {
      REQUIRE(client.read().status == 200);
      client.close();
    }
    drain.join();
    CHECK_THROWS_AS(HttpClient(served.port()), std::runtime_error);
  }
}

// Each client sends requests until a response closes its connection; a request without a response is lost.
TEST_CASE("a drain under load loses no request") {
  ServedApp served(slow_app());
  base::Atomic<int> lost{0}, served_count{0}, clients_served{0};
  std::vector<std::jthread> threads;
  constexpr int kClients = 8;
  for (int i = 0; i != kClients; ++i) {
    threads.emplace_back([&] {
      try {
        HttpClient client(served.port());
        for (int count = 0; !client.ask(kGet).closes(); ++count) {
          served_count.fetch_add(1, base::relaxed);  // relaxed: counts, read when joined
          if (count == 0) clients_served.fetch_add(1, base::relaxed);
        }
        if (client.end() == HttpClient::End::reset) lost.fetch_add(1, base::relaxed);
      } catch (const std::exception& error) {
        lost.fetch_add(1, base::relaxed);
      }
    });
  }
  CHECK(test::eventually(
      [&] { return served_count.load(base::relaxed) > 500 && clients_served.load(base::relaxed) == kClients; }));
  CHECK(served.drain());
  threads.clear();
  CHECK(lost.load(base::relaxed) == 0);
  CHECK(served_count.load(base::relaxed) > 500);
}

// A client that has connected gets its response, even if it connects while the listeners are being closed.
TEST_CASE("a drain resets no client that connects meanwhile") {
  for (int round = 0; round != 10; ++round) {
    ServedApp served(slow_app());
    base::Atomic<int> lost{0}, served_count{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i != 4; ++i) {
      threads.emplace_back([&] {
        for (;;) {
          std::optional<HttpClient> client;
          try {
            client.emplace(served.port());
          } catch (const std::exception&) {  // the listener is closed
            return;
          }
          try {
            static_cast<void>(client->ask(kGet));
            served_count.fetch_add(1, base::relaxed);  // relaxed: counts, read when joined
          } catch (const std::exception&) {
            lost.fetch_add(1, base::relaxed);
          }
        }
      });
    }
    CHECK(test::eventually([&] { return served_count.load(base::relaxed) > 20; }));
    CHECK(served.drain());
    threads.clear();
    REQUIRE(lost.load(base::relaxed) == 0);
  }
}

TEST_CASE("a server may be destroyed before its connections, and the runtime before their responses") {
  HttpClient* client = nullptr;
  {
    Runtime runtime(test_options());
    {
      Server server(runtime, slow_app());
      const auto bound = server.listen(*Address::parse("127.0.0.1:0"));
      REQUIRE(bound);
      client = new HttpClient(bound->port());
      client->send(kGetLater);
      REQUIRE(test::eventually([&] { return server.connection_count() == 1; }));
    }
    CHECK(client->read().body == "late");
    client->send(kGetLater);
  }
  CHECK(client->end() != HttpClient::End::still_open);
  delete client;
}

TEST_SUITE_END();
}  // namespace volt::http
