// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>

#include "http/websocket/internal/websocket_connection.h"
#include "runtime/channel.h"
#include "runtime/concurrent.h"
#include "runtime/sched/random.h"
#include "runtime/select.h"
#include "runtime/time.h"
#include "tests/http/websocket/protocol/decode_events.h"
#include "tests/support/sanitizers.h"
#include "tests/support/served_app.h"
#include "tests/support/websocket_client.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::app_of;
using test::Endings;
using test::ServedApp;
using test::WebSocketClient;
using websocket::masked_frame;
using websocket::Opcode;

constexpr int kMessages = 40;
constexpr int kOrders = 60;

Task<> send_orders(Sender<int> orders, std::uint32_t seed) {
  sched::Random random(seed);
  for (int i = 0; i != kOrders; ++i) {
    if (random.below(3) == 0) co_await sleep_for(std::chrono::microseconds(random.below(200)));
    [[maybe_unused]] const bool sent = co_await orders.send(i);
  }
}

// Echoes messages and takes orders at the same time. In some rounds a timeout is set, or receive() is called instead.
Task<> echo_and_take(WebSocket& socket, Receiver<int> orders, std::uint32_t seed, base::Atomic<int>& in_order) {
  sched::Random random(seed);
  for (int next_order = 0;;) {
    if (next_order == kOrders || random.below(8) == 0) {
      const auto message = co_await socket.receive();
      if (!message) break;
      co_await socket.send_text(message->data);
      continue;
    }
    auto message = socket.message();
    auto order = orders.receive();
    auto pause = sleep_for(std::chrono::microseconds(random.below(300)));
    auto chosen = co_await select(message, order, pause);
    if (const auto* came = std::get_if<0>(&chosen)) {
      if (!*came) break;
      co_await socket.send_text((*came)->data);
    } else if (const auto* ordered = std::get_if<1>(&chosen)) {
      if (*ordered != next_order) co_return;
      in_order.store(++next_order, base::seq_cst);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/websocket_message");

TEST_CASE("a select of messages and orders loses no message, no order and no response") {
  const auto seeds = static_cast<std::uint32_t>(test::stress_rounds(200));
  for (std::uint32_t seed = 0; seed != seeds; ++seed) {
    CAPTURE(seed);
    base::Atomic<int> in_order{0};
    ServedApp served(app_of([&in_order, seed](WebSocket& socket) -> Task<> {
      auto [sender, receiver] = channel<int>(2);
      spawn(send_orders, std::move(sender), seed + 1).detach();
      co_await echo_and_take(socket, std::move(receiver), seed, in_order);
    }));
    WebSocketClient client(served.port(), "/ws");
    std::thread sender([&] {  // The close follows the last message at once and must not overtake it.
      sched::Random random(seed + 2);
      std::string bytes;
      for (int i = 0; i != kMessages; ++i) bytes += masked_frame({.opcode = Opcode::text}, std::to_string(i));
      bytes += masked_frame({.opcode = Opcode::close}, "\x03\xe8");
      while (!bytes.empty()) {
        const std::size_t piece = std::min<std::size_t>(bytes.size(), 1 + random.below(40));
        client.http().send(bytes.substr(0, piece));
        bytes.erase(0, piece);
        if (random.below(4) == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
      }
    });
    for (int i = 0; i != kMessages; ++i) {
      const std::string got = client.next();
      CHECK(got == "text " + std::to_string(i));
    }
    CHECK(client.next() == "close 1000");
    sender.join();
    client.http().close();
    CHECK(served.has_connections(0));
  }
}

TEST_CASE("orders that arrive while messages are awaited are all taken") {
  base::Atomic<int> in_order{0};
  ServedApp served(app_of([&in_order](WebSocket& socket) -> Task<> {
    auto [sender, receiver] = channel<int>(2);
    spawn(send_orders, std::move(sender), 7u).detach();
    co_await echo_and_take(socket, std::move(receiver), 7, in_order);
  }));
  WebSocketClient client(served.port(), "/ws");
  for (int i = 0; in_order.load(base::seq_cst) != kOrders; ++i) {  // receive() alone would wait without end.
    REQUIRE(i != 100'000);
    client.send_text("x");
    REQUIRE(client.next() == "text x");
  }
  client.close(CloseCode::normal);
  CHECK(client.next() == "close 1000");
}

TEST_CASE("message() ends as receive() does") {
  Endings endings;
  ServedApp served(app_of([&endings](WebSocket& socket) -> Task<> {
                     for (bool more = true; more;) {
                       auto message = socket.message();
                       auto never = sleep_for(1h);
                       const auto chosen = co_await select(message, never);
                       more = std::get<0>(chosen).has_value();
                     }
                     endings.add(socket);
                   }),
                   {.linger_timeout = 50ms});
  SUBCASE("by a close of the peer") {
    WebSocketClient client(served.port(), "/ws");
    client.close(CloseCode{4001}, "enough");
    CHECK(endings.first() == "4001enough");
  }
  SUBCASE("by a reset") {
    WebSocketClient(served.port(), "/ws").http().reset();
    CHECK(endings.first() == "1006");
  }
  SUBCASE("by the drain") {
    WebSocketClient client(served.port(), "/ws");
    client.send_text("x");
    served.server().start_drain();
    CHECK(test::eventually([&] { return served.server().nudge(), endings.count() == 1; }));
    CHECK(endings.first() == "1001");
    CHECK(client.next() == "close 1001");
  }
  CHECK(served.has_connections(0));
}

TEST_CASE("pings are answered during a select, and a handler that returns ends the reader") {
  ServedApp served(app_of([](WebSocket& socket) -> Task<> {
    auto message = socket.message();
    auto never = sleep_for(1h);
    auto chosen = co_await select(message, never);
    const std::string data = std::get<0>(chosen)->data;
    auto another = socket.message();
    auto soon = sleep_for(1ms);
    const auto nothing = co_await select(another, soon);
    if (nothing.index() == 1) co_await socket.send_text(data);
  }));
  WebSocketClient client(served.port(), "/ws");
  client.ping("a");
  CHECK(client.next() == "pong a");
  client.send_text("b");
  CHECK(client.next() == "text b");
  CHECK(client.next() == "close 1000");
  client.http().close();
  CHECK(served.has_connections(0));
}

TEST_CASE("message() while receive() is pending throws") {
  const auto handler = [](WebSocket& socket) -> Task<> {
    const auto receive = [&] { return socket.receive(); };
    const auto refused = [&]() -> Task<> {
      bool thrown = false;
      try {
        static_cast<void>(socket.message());
      } catch (const std::logic_error&) {  // Decided: this exception is expected.
        thrown = true;
      }
      co_await socket.send_text(thrown ? "refused" : "taken");
    };
    co_await all(receive, refused);
  };
  ServedApp served(app_of(handler), test::patient_options(), 1);  // one worker: refused() runs while receive() waits
  WebSocketClient client(served.port(), "/ws");
  CHECK(client.next() == "text refused");
  client.send_text("x");
  CHECK(client.next() == "close 1000");
}

TEST_SUITE_END();

}  // namespace volt::http
