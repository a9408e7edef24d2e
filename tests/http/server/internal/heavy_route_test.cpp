// SPDX-License-Identifier: MIT

// Requests of heavy routes, and of light ones beside them.
#include <doctest/doctest.h>

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/http.h"
#include "http/server/internal/overload.h"
#include "http/transport/transport.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http::server {
namespace {

using test::eventually;
using test::HttpClient;
using test::ServedApp;
using namespace std::chrono_literals;

constexpr std::uint32_t kWorkers = 2;
constexpr std::uint32_t kSpares = 3;

struct Gate {
  base::Atomic<bool> open{false};
  base::Atomic<std::uint32_t> inside{0};

  // Blocks the thread.
  void pass() {
    inside.fetch_add(1, base::seq_cst);
    while (!open.load(base::seq_cst)) std::this_thread::sleep_for(1ms);
  }
};

// Opens the gate when a test fails as well, so that its server can end.
class OpenAtEnd {
 public:
  explicit OpenAtEnd(Gate& gate) : gate_(gate) {}
  OpenAtEnd(const OpenAtEnd&) = delete;
  ~OpenAtEnd() { gate_.open.store(true, base::seq_cst); }

 private:
  Gate& gate_;
};

RuntimeOptions options_with_spares() {
  RuntimeOptions options = test_options(kWorkers);
  options.spare_workers_max = kSpares;
  return options;
}

App app_with(const std::shared_ptr<Gate>& gate) {
  App app;
  app.get("/slow",
          [gate] {
            gate->pass();
            return "slow";
          })
      .heavy();
  app.get("/later",
          [gate]() -> Task<std::string> {
            gate->pass();
            co_return "later";
          })
      .heavy();
  // Declared, not learned: on a slow machine, its first turn would be found to be long.
  app.get("/quick", [] { return "quick"; }).light();
  return app;
}

constexpr auto kSlow = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr auto kLater = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr auto kQuick = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";

// Makes no transports; while `slow`, each takes long.
struct SlowSource final : TransportSource {
  base::Atomic<bool> slow{true};

  std::unique_ptr<Transport> make(TcpStream&) override {
    if (slow.load(base::seq_cst)) std::this_thread::sleep_for(50ms);
    return nullptr;
  }
  std::expected<void, std::string> reload() override { return {}; }
  std::vector<std::string> files() const override { return {}; }
  std::vector<std::string> warnings() const override { return {}; }
};

constexpr ServerOptions kPatient{.queue_delay_max = 0s};  // requests of heavy routes may wait for heavy_delay_max

}  // namespace

TEST_SUITE_BEGIN("http/server/heavy_route");

TEST_CASE("when heavy handlers block all threads that they may have, light routes are served and heavy ones wait") {
  const auto gate = std::make_shared<Gate>();
  ServedApp served(app_with(gate), kPatient, options_with_spares());
  const OpenAtEnd open_at_end(*gate);
  std::vector<HttpClient> slow;
  for (int i = 0; i != 8; ++i) {
    slow.emplace_back(served.port());
    slow.back().send(i % 2 == 0 ? kSlow : kLater);
  }
  CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == kWorkers + kSpares - 1; }));
  HttpClient quick(served.port());
  for (int i = 0; i != 20; ++i) CHECK(quick.ask(kQuick).status == 200);
  CHECK(HttpClient(served.port()).ask(kQuick).status == 200);
  CHECK(gate->inside.load(base::seq_cst) == kWorkers + kSpares - 1);
  gate->open.store(true, base::seq_cst);
  for (HttpClient& client : slow) CHECK(client.read().status == 200);
}

TEST_CASE("new connections are light, even if the first turns of earlier ones were long") {
  const auto gate = std::make_shared<Gate>();
  const auto source = std::make_shared<SlowSource>();
  ServedApp served(app_with(gate), kPatient, options_with_spares(), {.transport = source});
  const OpenAtEnd open_at_end(*gate);
  for (int i = 0; i != 6; ++i) CHECK(HttpClient(served.port()).ask(kQuick).status == 200);
  source->slow.store(false, base::seq_cst);
  std::vector<HttpClient> slow;
  for (int i = 0; i != 8; ++i) {
    slow.emplace_back(served.port());
    slow.back().send(kSlow);
  }
  CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == kWorkers + kSpares - 1; }));
  CHECK(HttpClient(served.port()).ask(kQuick).status == 200);
  gate->open.store(true, base::seq_cst);
  for (HttpClient& client : slow) CHECK(client.read().status == 200);
}

TEST_CASE("a request of a heavy route that would wait too long gets 503") {
  const auto gate = std::make_shared<Gate>();
  ServedApp served(app_with(gate), {.heavy_delay_max = 1s}, options_with_spares());
  const OpenAtEnd open_at_end(*gate);
  std::vector<HttpClient> waiting;
  for (int i = 0; i != 8; ++i) {
    waiting.emplace_back(served.port());
    waiting.back().send(kSlow);
  }
  CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == kWorkers + kSpares - 1; }));
  std::this_thread::sleep_for(2s);
  HttpClient late(served.port());
  const test::Reply reply = late.ask(kSlow);
  CHECK(reply.status == 503);
  CHECK(reply.field("Retry-After") == "1");
  CHECK(late.ask(kQuick).status == 200);  // on the same connection
  CHECK(served.server().overload().noted(OverloadReason::heavy_delay) >= 1);
  gate->open.store(true, base::seq_cst);
  int served_late = 0;
  int refused = 0;
  for (HttpClient& client : waiting) {
    const int status = client.read().status;
    served_late += status == 200 ? 1 : 0;
    refused += status == 503 ? 1 : 0;
  }
  CHECK(served_late == kWorkers + kSpares - 1);
  CHECK(refused == 8 - served_late);
  CHECK(eventually([&] { return late.ask(kSlow).status == 200; }));
}

TEST_CASE("a connection is light again after its request of a heavy route") {
  const auto gate = std::make_shared<Gate>();
  ServedApp served(app_with(gate), kPatient, options_with_spares());
  const OpenAtEnd open_at_end(*gate);
  HttpClient client(served.port());
  gate->open.store(true, base::seq_cst);
  CHECK(client.ask(kSlow).status == 200);
  CHECK(client.ask(kLater).status == 200);
  gate->open.store(false, base::seq_cst);
  gate->inside.store(0, base::seq_cst);
  std::vector<HttpClient> slow;
  for (int i = 0; i != 8; ++i) {
    slow.emplace_back(served.port());
    slow.back().send(kSlow);
  }
  CHECK(eventually([&] { return gate->inside.load(base::seq_cst) == kWorkers + kSpares - 1; }));
  CHECK(client.ask(kQuick).status == 200);
  CHECK(client.ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").status == 404);
  gate->open.store(true, base::seq_cst);
  for (HttpClient& other : slow) CHECK(other.read().status == 200);
}

TEST_SUITE_END();

}  // namespace volt::http::server
