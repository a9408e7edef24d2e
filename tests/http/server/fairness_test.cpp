// SPDX-License-Identifier: MIT

// Clients that come while others keep the workers busy: they are accepted and served soon, or refused soon.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "http/server/app.h"
#include "http/server/internal/overload.h"
#include "runtime/base/atomic.h"
#include "runtime/borrowed.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::ServedApp;

constexpr std::string_view kWork = "GET /work HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kQuick = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";

Task<> yield_until(Borrowed<base::Atomic<bool>> over) {
  while (!over.get().load(base::seq_cst)) co_await yield();
}

}  // namespace

TEST_SUITE_BEGIN("http/server/fairness");

// With a turn of 16 accepts in each round of the queue, 300 connections would take about 19 rounds. The handlers note
// when the last connection was accepted, since this thread may not run for a while.
TEST_CASE("connections are accepted soon, however many handlers keep the workers busy") {
  constexpr int kClients = 30;
  constexpr std::size_t kConnections = 300;
  base::Atomic<int> handled{0};
  base::Atomic<int> handled_at_last_accept{0};
  base::Atomic<const Server*> server{nullptr};
  App app;
  app.get("/work",
          [&] {
            test::burn(5ms);
            const int count = handled.fetch_add(1, base::seq_cst) + 1;
            const Server* const serves = server.load(base::seq_cst);
            const bool all_accepted = serves != nullptr && serves->connection_count() == kConnections + kClients;
            if (all_accepted && handled_at_last_accept.load(base::seq_cst) == 0) {
              handled_at_last_accept.store(count, base::seq_cst);
            }
            return "done";
          })
      .light();
  ServedApp served(std::move(app), {.queue_delay_max = 0s}, 1);
  std::vector<std::jthread> clients;
  for (int i = 0; i != kClients; ++i) {
    clients.emplace_back([&](const std::stop_token& stop) {
      HttpClient client(served.port());
      while (!stop.stop_requested()) static_cast<void>(client.ask(kWork));
    });
  }
  REQUIRE(served.has_connections(kClients));
  REQUIRE(test::eventually([&] { return handled.load(base::seq_cst) > 2 * kClients; }));
  server.store(&served.server(), base::seq_cst);
  std::vector<HttpClient> connections;
  for (std::size_t i = 0; i != kConnections; ++i) connections.emplace_back(served.port());
  const int before = handled.load(base::seq_cst);  // the kernel has all connections
  CHECK(test::eventually([&] { return handled_at_last_accept.load(base::seq_cst) != 0; }));
  CHECK(handled_at_last_accept.load(base::seq_cst) - before < 10 * kClients);
}

TEST_CASE("a client that pipelines without end does not keep its worker from others") {
  constexpr int kPipelined = 20'000;
  base::Atomic<int> handled{0};
  base::Atomic<int> handled_before{0};
  base::Atomic<bool> begun{false};
  base::Atomic<bool> other_has_sent{false};
  App app;
  app.get("/work",
          [&] {
            begun.store(true, base::seq_cst);
            if (handled.fetch_add(1, base::seq_cst) == 0) {
              CHECK(test::eventually([&] { return other_has_sent.load(base::seq_cst); }));
            }
            return "done";
          })
      .light();
  app.get("/quick", [&] {
    handled_before.store(handled.load(base::seq_cst), base::seq_cst);
    return "quick";
  });
  ServedApp served(std::move(app), test::patient_options(), 1);
  HttpClient other(served.port());
  CHECK(other.ask(kQuick).status == 200);
  HttpClient greedy(served.port());
  std::jthread sends([&] {
    std::string requests;
    for (int i = 0; i != kPipelined; ++i) requests += kWork;
    greedy.send(requests);
  });
  std::jthread reads([&] {
    for (int i = 0; i != kPipelined; ++i) CHECK(greedy.read().status == 200);
  });
  CHECK(test::eventually([&] { return begun.load(base::seq_cst); }));
  other.send(kQuick);
  other_has_sent.store(true, base::seq_cst);
  CHECK(other.read().status == 200);
  CHECK(handled_before.load(base::seq_cst) < kPipelined / 4);
}

TEST_CASE("the time for which a connection has waited in the backlog counts as a delay") {
  base::Atomic<bool> begun{false};
  base::Atomic<bool> open{false};
  base::Atomic<bool> over{false};
  App app;
  app.get("/work",
          [&begun, &open] {
            begun.store(true, base::seq_cst);
            while (!open.load(base::seq_cst)) std::this_thread::sleep_for(1ms);
            return "done";
          })
      .light();
  app.get("/quick", [] { return "quick"; });
  // While its only worker is blocked, the server accepts nothing. Before and after that, the worker is always busy.
  ServedApp served(std::move(app), {.queue_delay_max = 1s, .queue_busy_min = 150ms}, 1);
  const auto yields = served.runtime().spawn(yield_until, borrow(over));
  HttpClient blocks(served.port());
  blocks.send(kWork);
  REQUIRE(test::eventually([&] { return begun.load(base::seq_cst); }));
  HttpClient waits(served.port());
  waits.send(kQuick);
  std::this_thread::sleep_for(3s);
  open.store(true, base::seq_cst);
  CHECK(blocks.read().status == 200);
  const test::Reply reply = waits.read();
  CHECK(reply.status == 503);
  CHECK(reply.field("Retry-After") == "1");
  CHECK(waits.ask(kQuick).status == 200);  // it has not waited for this one
  CHECK(served.server().overload().noted(server::OverloadReason::queue_delay) == 1);
  over.store(true, base::seq_cst);
  CHECK(test::eventually([&] { return yields.done(); }));
}

TEST_SUITE_END();

}  // namespace volt::http
