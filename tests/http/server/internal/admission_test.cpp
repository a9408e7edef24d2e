// SPDX-License-Identifier: MIT

// The limits on connections: http/server/internal/admission.h, and the acceptor in http/server/server.cpp.
#include "http/server/internal/admission.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "http/server/app.h"
#include "http/server/internal/overload.h"
#include "runtime/base/atomic.h"
#include "runtime/task.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::ServedApp;

const std::string kAsk = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

App hello_app() {
  App app;
  app.get("/", [] { return "hello"; });
  return app;
}

// Connections may be idle for long, unless others wait for their places.
ServerOptions patient(ServerOptions options) {
  options.idle_timeout = 1h;
  options.drain_idle_timeout = 1ms;
  return options;
}

class Watchers {
 public:
  // Connections that have served a request and are idle now.
  Watchers(std::uint16_t port, std::size_t count, const std::string& introduction = {}) {
    for (std::size_t i = 0; i != count; ++i) {
      CHECK(clients_.emplace_back(port).ask(introduction + kAsk).status == 200);
    }
  }
  [[nodiscard]] HttpClient& operator[](std::size_t i) { return clients_[i]; }
  void drop(std::size_t i) { clients_[i].close(); }

 private:
  std::vector<HttpClient> clients_;
};

// Whether a client that connects is served in the end. A connection that ends leaves the server's count a moment before
// the count of its client, so the server may refuse another connection of the client in that moment.
bool is_served_soon(std::uint16_t port, const std::string& request) {
  return test::eventually([&] {
    try {
      return HttpClient(port).ask(request).status == 200;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
}

// The largest growth of the number of connections between two turns of a task.
struct Growth {
  Server& server;
  base::Atomic<std::size_t> largest{0};
  base::Atomic<bool> done{false};
};

Task<> watch(std::shared_ptr<Growth> growth) {
  std::size_t before = 0;
  while (!growth->done.load()) {
    const std::size_t now = growth->server.connection_count();
    if (now > before) growth->largest = std::max(growth->largest.load(), now - before);
    before = now;
    co_await yield();
  }
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/admission");

TEST_CASE("a client that connects to a full server or listener waits until a connection is closed") {
  const struct {
    std::string why;
    ServerOptions server;
    ListenerOptions listener;
  } cases[] = {
      {"the server's bound", patient({.connections_max = 3, .pressure_idle_timeout = 1h}), {}},
      {"the listener's", patient({.pressure_idle_timeout = 1h}), {.connections_max = 3}},
      {"both", patient({.connections_max = 3, .pressure_idle_timeout = 1h}), {.connections_max = 3}},
  };
  for (const auto& [why, server, listener] : cases) {
    CAPTURE(why);
    ServedApp served(hello_app(), server, 2, listener);
    Watchers inside(served.port(), 3);
    std::list<HttpClient> outside;
    for (int i = 0; i != 6; ++i) outside.emplace_back(served.port()).send(kAsk);
    CHECK(test::eventually([&] { return served.server().overload().noted(OverloadReason::connections) != 0; }));
    CHECK(outside.front().end_within(100ms) == HttpClient::End::still_open);  // no response, and no refusal
    CHECK(served.server().connection_count() == 3);
    CHECK(inside[0].ask(kAsk).status == 200);  // admitted clients are served
    for (std::size_t i = 0; i != 3; ++i) inside.drop(i);
    // The kernel chooses which of them are next; clients that are served make room.
    CHECK(test::eventually([&] {
      outside.remove_if([](HttpClient& client) { return client.readable() && client.read().status == 200; });
      CHECK(served.server().connection_count() <= 3);
      return outside.empty();
    }));
  }
}

TEST_CASE("while clients wait, idle connections are closed soon, and those in use are not") {
  ServedApp served(hello_app(), patient({.connections_max = 2, .pressure_idle_timeout = 1ms}));
  Watchers idle(served.port(), 2);
  HttpClient late(served.port());
  CHECK(late.ask(kAsk).status == 200);
  CHECK(idle[0].end_within(20s) == HttpClient::End::closed);
}

TEST_CASE("a full listener does not take the places of another listener") {
  ServedApp served(hello_app(), patient({.pressure_idle_timeout = 1h}), 2, {.connections_max = 1});
  const Address other = served.server().listen(*Address::parse("127.0.0.1:0")).value();
  Watchers inside(served.port(), 1);
  HttpClient waiting(served.port());
  waiting.send(kAsk);
  CHECK(test::eventually([&] { return served.server().overload().noted(OverloadReason::connections) != 0; }));
  CHECK(HttpClient(other).ask(kAsk).status == 200);
}

TEST_CASE("a full server drains, and serves the clients that waited for a place") {
  ServedApp served(hello_app(), patient({.connections_max = 1, .pressure_idle_timeout = 1h}));
  Watchers inside(served.port(), 1);
  HttpClient waiting(served.port());
  waiting.send(kAsk);
  CHECK(test::eventually([&] { return served.server().overload().noted(OverloadReason::connections) != 0; }));
  served.server().start_drain();
  CHECK(test::eventually([&] { return served.server().nudge(), waiting.readable(); }));
  CHECK(waiting.read().status == 200);
  waiting.close();
  inside.drop(0);
  CHECK(served.drain());
}

TEST_CASE("a drain closes the idle connections of a full server, also those that were asked to close before") {
  ServedApp served(hello_app(), patient({.connections_max = 1, .pressure_idle_timeout = 1h}));
  Watchers inside(served.port(), 1);
  HttpClient waiting(served.port());
  waiting.send(kAsk);
  CHECK(test::eventually([&] { return served.server().overload().noted(OverloadReason::connections) != 0; }));
  std::this_thread::sleep_for(100ms);  // the idle connection notices the pressure
  served.server().start_drain();
  CHECK(test::eventually([&] { return served.server().nudge(), waiting.readable(); }));
  CHECK(waiting.read().status == 200);
  waiting.close();
  CHECK(served.drain());
}

TEST_CASE("a server is not drained while a connection waits for its first turn") {
  Runtime runtime(test_options(1));
  Server server(runtime, hello_app(), patient({}));
  enum Phase : std::uint8_t { begins, holds, ends };
  base::Atomic<Phase> phase{begins};
  const auto hold_worker = [](Borrowed<base::Atomic<Phase>> now) -> Task<> {
    now.get().store(holds, base::seq_cst);
    while (now.get().load(base::seq_cst) != ends) std::this_thread::sleep_for(1ms);
    co_return;
  };
  runtime.spawn(hold_worker, borrow(phase)).detach();
  CHECK(test::eventually([&] { return phase.load(base::seq_cst) == holds; }));
  test::Pair pair = test::tcp_pair();
  server.serve(TcpStream(pair.near.release()));
  server.start_drain();
  CHECK_FALSE(server.drained());
  phase.store(ends, base::seq_cst);
  REQUIRE(test::send_all(pair.far.get(), kAsk));
  CHECK(test::eventually([&] { return server.nudge(), server.drained(); }));
}

TEST_CASE("a client gets the place of a connection that has become idle while another one waited before") {
  ServedApp served(hello_app(), patient({.connections_max = 1, .pressure_idle_timeout = 2s}), 1);
  Watchers inside(served.port(), 1);
  HttpClient second(served.port());
  second.send(kAsk);
  CHECK(test::eventually([&] { return served.server().overload().noted(OverloadReason::connections) == 1; }));
  inside.drop(0);
  CHECK(second.read().status == 200);
  HttpClient third(served.port());
  third.send(kAsk);
  CHECK(test::eventually([&] { return third.readable(); }));
  CHECK(third.read().status == 200);
}

TEST_CASE("a client at its maximum gets no more connections until one of them is closed") {
  ServedApp served(hello_app(), patient({.connections_per_client_max = 2}));
  Watchers inside(served.port(), 2);
  for (int i = 0; i != 3; ++i) {
    HttpClient refused(served.port());
    CHECK(refused.end() == HttpClient::End::reset);
  }
  CHECK(served.server().overload().noted(OverloadReason::client_connections) == 3);
  CHECK(inside[0].ask(kAsk).status == 200);
  inside.drop(1);
  CHECK(served.has_connections(1));
  CHECK(is_served_soon(served.port(), kAsk));
}

TEST_CASE("connections of a balancer count for the clients that its PROXY headers name") {
  ServedApp served(hello_app(), patient({.connections_per_client_max = 1}), 2, {.proxy_protocol_from = {"127.0.0.1"}});
  const auto from = [](const std::string& client) { return "PROXY TCP4 " + client + " 192.0.2.1 54321 80\r\n"; };
  Watchers first(served.port(), 1, from("203.0.113.7"));
  Watchers second(served.port(), 1, from("203.0.113.8"));
  HttpClient again(served.port());
  again.send(from("203.0.113.7") + kAsk);
  CHECK(again.end() == HttpClient::End::reset);
  first.drop(0);
  CHECK(served.has_connections(1));
  CHECK(is_served_soon(served.port(), from("203.0.113.7") + kAsk));
}

TEST_CASE("many clients that connect at once do not hold up those that are connected") {
  constexpr std::size_t kCrowd = 400;
  Runtime runtime(test_options(1));
  Server server(runtime, hello_app());
  auto listener = TcpListener::bind(*Address::parse("127.0.0.1:0"));
  REQUIRE(listener);
  std::vector<test::Descriptor> crowd;
  for (std::size_t i = 0; i != kCrowd; ++i) crowd.push_back(test::connect_to(listener->local_address()));
  const auto growth = std::make_shared<Growth>(server);
  auto watching = runtime.spawn(watch, growth);
  server.listen(std::move(*listener));
  CHECK(test::eventually([&] { return server.connection_count() == kCrowd; }));
  growth->done = true;
  runtime.block_on([&]() -> Task<> { co_await std::move(watching); });
  CHECK(growth->largest > 0);
  // How many are accepted between two turns depends on the machine: the acceptor runs again while the tasks of the
  // connections run. But they are never all accepted in a row.
  CHECK(growth->largest < kCrowd);
}

TEST_SUITE_END();
}  // namespace volt::http::server
