// SPDX-License-Identifier: MIT

#include "http/websocket/internal/websocket_connection.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "http/testing/test_client.h"
#include "http/web/extract.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/http/websocket/protocol/decode_events.h"
#include "tests/support/engine.h"
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

// Returns the next event that is not a ping: the server sends one to a client that is silent while it reads slowly.
std::string next_but_pings(WebSocketClient& client) {
  for (;;) {
    std::string event = client.next();
    if (!event.starts_with("ping ")) return event;
  }
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/internal/websocket_connection");

TEST_CASE(
    "several tasks send while one receives: messages do not interleave, and each sender's messages stay in order") {
  constexpr int kMessages = 300;
  const auto busy = [](WebSocket& socket) -> Task<> {
    const auto send_as = [&socket](char name) -> Task<> {
      for (int i = 0; i != kMessages; ++i) {
        co_await socket.send_text(std::string(1, name) + std::to_string(i) + std::string(i * 7, '.'));
      }
    };
    const auto a = [&] { return send_as('a'); };
    const auto b = [&] { return send_as('b'); };
    const auto reader = [&] { return echo(socket); };
    co_await all(a, b, reader);
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
  base::Atomic<bool> ended{false};
  ServedApp served(app_of([&ended](WebSocket& socket) -> Task<> {
    const std::string big(kBig, 'x');
    const auto send_big = [&] { return socket.send_binary(big); };
    const Result<void> in_time = co_await within(20ms, send_big);
    ended.store(true, base::seq_cst);
    if (in_time) throw std::logic_error("the kernel took it all: nothing was cancelled");
    const auto echo_once = [&]() -> Task<> {
      const auto message = co_await socket.receive();  // Writes the rest of the cancelled message.
      co_await socket.send_text(message->data);
    };
    co_await echo_once();
  }));
  WebSocketClient client(served.port(), "/ws", {}, {}, {.receive_bytes = 16 * 1024});
  REQUIRE(test::eventually([&] { return ended.load(base::seq_cst); }));  // until then, the client does not read
  CHECK((next_but_pings(client) == "binary " + std::string(kBig, 'x')));
  client.send_text("after");
  CHECK(next_but_pings(client) == "text after");
  CHECK(next_but_pings(client) == "close 1000");
}

TEST_CASE("a receive that times out repeatedly loses no message") {
  constexpr int kMessages = 500;
  base::Atomic<int> timeouts{0};
  ServedApp served(app_of([&timeouts](WebSocket& socket) -> Task<> {
    const auto receive = [&] { return socket.receive(); };
    for (bool more = true; more;) {
      const auto message = co_await within(100us, receive);
      if (!message) timeouts.fetch_add(1, base::relaxed);  // relaxed: read after the handler has returned
      if (!message) continue;
      more = message->has_value();
      if (!more) continue;
      co_await socket.send_text((*message)->data);
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
      co_await socket.close(CloseCode{4002}, "bye");
    };
    co_await all(read, close);
  }));
  WebSocketClient client(served.port(), "/ws");  // This client does not answer the close.
  CHECK(endings.first() == "4002bye");
  CHECK(client.next() == "close 4002 bye");
}

// Autobahn 2.10.
TEST_CASE("ten pings in one piece get ten pongs in order") {
  ServedApp served(app_of(echo));
  WebSocketClient client(served.port(), "/ws");
  std::string pings;
  for (int i = 0; i != 10; ++i) pings += masked_frame({.opcode = Opcode::ping}, "payload-" + std::to_string(i));
  client.http().send(pings);
  for (int i = 0; i != 10; ++i) CHECK(client.next() == "pong payload-" + std::to_string(i));
}

// Autobahn 5.6 to 5.8, 5.19 and 5.20.
TEST_CASE("a ping between the fragments of a message is answered before the message is") {
  const std::string pieces[] = {
      masked_frame({.opcode = Opcode::text, .final = false}, "one, "),
      masked_frame({.opcode = Opcode::continuation, .final = false}, "two, "),
      masked_frame({.opcode = Opcode::ping}, "1"),
      masked_frame({.opcode = Opcode::continuation, .final = false}, "three, "),
      masked_frame({.opcode = Opcode::ping}, "2"),
      masked_frame({.opcode = Opcode::continuation}, "four"),
  };
  std::string all_pieces;
  for (const std::string& piece : pieces) all_pieces += piece;
  ServedApp served(app_of(echo));
  for (const std::string_view way : {"in one piece", "in frames", "in bytes"}) {
    CAPTURE(way);
    WebSocketClient client(served.port(), "/ws");
    if (way == "in one piece") client.http().send(all_pieces);
    if (way == "in frames") {
      for (const std::string& piece : pieces) client.http().send(piece), std::this_thread::sleep_for(2ms);
    }
    if (way == "in bytes") {
      for (const char byte : all_pieces) client.http().send({&byte, 1});
    }
    CHECK(client.next() == "pong 1");
    CHECK(client.next() == "pong 2");
    CHECK(client.next() == "text one, two, three, four");
  }
}

TEST_CASE("pings are answered while the handler is busy, and the messages that come meanwhile are not lost") {
  base::Atomic<bool> may_go_on{false};
  const auto busy = [&](WebSocket& socket) -> Task<> {
    while (!may_go_on.load(base::acquire)) co_await sleep_for(1ms);
    co_await echo(socket);
  };
  const auto busy_with_message = [&](WebSocket& socket) -> Task<> {
    const auto message = co_await socket.receive();
    while (!may_go_on.load(base::acquire)) co_await sleep_for(1ms);
    co_await socket.send_text(message->data);
    co_await echo(socket);
  };
  const auto busy_in_select = [&](WebSocket& socket) -> Task<> {
    const auto message = co_await socket.message();
    while (!may_go_on.load(base::acquire)) co_await sleep_for(1ms);
    co_await socket.send_text(message->data);
    while (const auto next = co_await socket.message()) co_await socket.send_text(next->data);
  };
  App app;
  app.ws("/busy", busy);
  app.ws("/message", busy_with_message);
  app.ws("/select", busy_in_select);
  ServedApp served(std::move(app));
  for (const std::string_view path : {"/busy", "/message", "/select"}) {
    CAPTURE(path);
    may_go_on.store(false, base::release);
    WebSocketClient client(served.port(), path);
    client.send_text("a");
    client.ping("1");
    CHECK(client.next() == "pong 1");
    client.send_text("b");
    client.ping("2");
    CHECK(client.next() == "pong 2");
    // The end comes in the same moment; it must not overtake the messages.
    client.http().send(masked_frame({.opcode = Opcode::text}, "c") + masked_frame({.opcode = Opcode::ping}, "3") +
                       masked_frame({.opcode = Opcode::close}, "\x03\xe8"));
    CHECK(client.next() == "pong 3");
    client.http().finish_sending();
    std::this_thread::sleep_for(20ms);
    may_go_on.store(true, base::release);
    CHECK(client.next() == "text a");
    CHECK(client.next() == "text b");
    CHECK(client.next() == "text c");
    CHECK(client.next() == "close 1000");
    CHECK(served.has_connections(0));
  }
}

TEST_CASE("a busy handler's socket does not read without bound") {
  base::Atomic<bool> may_go_on{false};
  std::size_t received = 0;
  ServedApp served(app_of([&](WebSocket& socket) -> Task<> {
    while (!may_go_on.load(base::acquire)) co_await sleep_for(1ms);
    while (const auto message = co_await socket.receive()) received += message->data.size();
  }));
  WebSocketClient client(served.port(), "/ws");
  const std::string frame = masked_frame({.opcode = Opcode::binary}, std::string(16 * 1024, 'x'));
  std::size_t sent = 0;
  while (const std::size_t taken = client.http().send_until_blocked(frame, 300ms)) {
    sent += taken;
    if (sent > 64 * 1024 * 1024) break;
  }
  CHECK(sent < 16 * 1024 * 1024);  // at most the kernel's buffers and what is read ahead
  may_go_on.store(true, base::release);
  client.close(CloseCode::normal);
  CHECK(client.next() == "close 1000");
  client.http().close();
  CHECK(served.has_connections(0));
  CHECK(received == sent / frame.size() * (16 * 1024));
}

TEST_CASE("invalid calls throw") {
  Endings endings;
  ServedApp served(app_of([&](WebSocket& socket) -> Task<> {
    const auto receive = [&] { return socket.receive(); };
    try {
      co_await all(receive, receive);
      co_return;
    } catch (const std::logic_error&) {
    }
    try {
      co_await socket.send_text("\xff");
      co_return;
    } catch (const std::invalid_argument&) {
    }
    try {
      co_await socket.close(CloseCode::abnormal);
      co_return;
    } catch (const std::invalid_argument&) {
    }
    co_await socket.send_text("still here");
  }));
  WebSocketClient client(served.port(), "/ws");
  CHECK(client.next() == "text still here");
}

TEST_CASE("a peer that reads nothing is disconnected in time, although each send is cancelled and repeated") {
  Endings endings;
  const auto insist = [&endings](WebSocket& socket) -> Task<> {
    const std::string text(16 * 1024, 'x');
    try {
      for (;;) {
        [[maybe_unused]] const Result<void> sent = co_await within(100ms, [&] { return socket.send_text(text); });
      }
    } catch (const Disconnected&) {
      endings.add(socket);
      throw;
    }
  };
  TestClient client(app_of(insist, {.ping = 0ms}), {.server = {.stall_timeout = 2s}, .io = test_options().io});
  const TestWebSocket socket = client.websocket("/ws");
  client.clock().advance(1900ms);
  CHECK(endings.count() == 0);
  client.clock().advance(200ms);
  CHECK(endings.count() == 1);
}

TEST_SUITE_END();

}  // namespace volt::http
