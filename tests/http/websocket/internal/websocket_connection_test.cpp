// SPDX-License-Identifier: MIT

#include "http/websocket/internal/websocket_connection.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "http/web/extract.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/http/websocket/protocol/decode_events.h"
#include "tests/support/served_app.h"
#include "tests/support/websocket_client.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::app_of;
using test::echo;
using test::Endings;
using test::read_to_end;
using test::ServedApp;
using test::WebSocketClient;
using websocket::masked_frame;
using websocket::Opcode;

}  // namespace

TEST_SUITE_BEGIN("http/websocket/internal/websocket_connection");

TEST_CASE(
    "several tasks send while one receives: messages do not interleave, and each sender's messages stay in order") {
  constexpr int kMessages = 300;
  const auto busy = [](WebSocket& socket) -> Task<> {
    const auto send_as = [&socket](char name) -> Task<> {
      for (int i = 0; i != kMessages; ++i) {
        auto sending = socket.send_text(std::string(1, name) + std::to_string(i) + std::string(i * 7, '.'));
        co_await std::move(sending);
      }
    };
    const auto a = [&] { return send_as('a'); };
    const auto b = [&] { return send_as('b'); };
    const auto reader = [&] { return echo(socket); };
    auto running = all(a, b, reader);
    co_await std::move(running);
  };
  ServedApp served(app_of(busy), {.linger_timeout = 50ms});
  WebSocketClient client(served.port(), "/ws");
  std::thread sender([&] {
    for (int i = 0; i != kMessages; ++i) {
      const std::string payload = "c" + std::to_string(i) + std::string(i * 7, '.');
      client.http().send(masked_frame({.opcode = Opcode::text}, payload));
      client.http().send(masked_frame({.opcode = Opcode::ping}, std::to_string(i)));
    }
  });
  int next[3] = {};
  for (int count = 0; count != 3 * kMessages;) {
    const std::string event = client.next();
    if (event.starts_with("pong ")) continue;
    REQUIRE(event.starts_with("text "));
    const char name = event[5];
    int& i = next[name - 'a'];
    REQUIRE(event == "text " + (name + std::to_string(i)) + std::string(i * 7, '.'));
    ++i;
    ++count;
  }
  sender.join();
  client.close(CloseCode::normal);
  for (std::string event; event != "end"; event = client.next()) CHECK(!event.starts_with("failure"));
  CHECK(served.has_connections(0));
}

TEST_CASE("a cancelled send leaves whole frames and does not stop the next send") {
  constexpr std::size_t kBig = 8 * 1024 * 1024;
  ServedApp served(app_of([](WebSocket& socket) -> Task<> {
    const std::string big(kBig, 'x');
    const auto send_big = [&] { return socket.send_binary(big); };
    auto limited = within(20ms, send_big);
    const Result<void> in_time = co_await std::move(limited);
    if (in_time) throw std::logic_error("the kernel took it all: nothing was cancelled");
    const auto echo_once = [&]() -> Task<> {
      auto receiving = socket.receive();  // Writes the rest of the cancelled message.
      const auto message = co_await std::move(receiving);
      auto sending = socket.send_text(message->data);
      co_await std::move(sending);
    };
    auto echoing = echo_once();
    co_await std::move(echoing);
  }));
  WebSocketClient client(served.port(), "/ws", {}, {}, {.receive_bytes = 16 * 1024});
  std::this_thread::sleep_for(40ms);
  CHECK((client.next() == "binary " + std::string(kBig, 'x')));
  client.send_text("after");
  CHECK(client.next() == "text after");
  CHECK(client.next() == "close 1000");
}

TEST_CASE("a receive that times out repeatedly loses no message") {
  constexpr int kMessages = 500;
  base::Atomic<int> timeouts{0};
  ServedApp served(app_of([&timeouts](WebSocket& socket) -> Task<> {
    const auto receive = [&] { return socket.receive(); };
    for (bool more = true; more;) {
      auto limited = within(100us, receive);
      const auto message = co_await std::move(limited);
      if (!message) timeouts.fetch_add(1, base::relaxed);  // relaxed: read after the handler has returned
      if (!message) continue;
      more = message->has_value();
      if (!more) continue;
      auto sending = socket.send_text((*message)->data);
      co_await std::move(sending);
    }
  }));
  WebSocketClient client(served.port(), "/ws");
  for (int i = 0; i != kMessages; ++i) {
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    client.send_text(std::to_string(i));
    REQUIRE(client.next() == "text " + std::to_string(i));
  }
  CHECK(timeouts.load(base::relaxed) != 0);  // relaxed: the handler has responded
  client.close(CloseCode::normal);
  CHECK(client.next() == "close 1000");
}

TEST_CASE("a close by one task ends the receive of another") {
  Endings endings;
  ServedApp served(app_of([&](WebSocket& socket) -> Task<> {
    const auto reading = read_to_end(endings);
    const auto read = [&] { return reading(socket); };
    const auto close = [&]() -> Task<> {
      co_await sleep_for(20ms);
      auto closing = socket.close(CloseCode{4002}, "bye");
      co_await std::move(closing);
    };
    auto both = all(read, close);
    co_await std::move(both);
  }));
  WebSocketClient client(served.port(), "/ws");  // This client does not answer the close.
  CHECK(endings.first() == "4002bye");
  CHECK(client.next() == "close 4002 bye");
}

TEST_CASE("invalid calls throw") {
  Endings endings;
  ServedApp served(app_of([&](WebSocket& socket) -> Task<> {
    const auto receive = [&] { return socket.receive(); };
    try {
      auto twice = all(receive, receive);
      co_await std::move(twice);
      co_return;
    } catch (const std::logic_error&) {
    }
    try {
      auto sending = socket.send_text("\xff");
      co_await std::move(sending);
      co_return;
    } catch (const std::invalid_argument&) {
    }
    try {
      auto closing = socket.close(CloseCode::abnormal);
      co_await std::move(closing);
      co_return;
    } catch (const std::invalid_argument&) {
    }
    auto sending = socket.send_text("still here");
    co_await std::move(sending);
  }));
  WebSocketClient client(served.port(), "/ws");
  CHECK(client.next() == "text still here");
}

TEST_SUITE_END();

}  // namespace volt::http
