// SPDX-License-Identifier: MIT

#include "http/websocket/websocket.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "http/web/extract.h"
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
using test::eventually;
using test::HttpClient;
using test::read_to_end;
using test::ServedApp;
using test::WebSocketClient;
using websocket::masked_frame;
using websocket::Opcode;

}  // namespace

TEST_SUITE_BEGIN("http/websocket/websocket");

TEST_CASE("messages of any size are sent in both directions, in order") {
  ServedApp served(app_of(echo));
  WebSocketClient client(served.port(), "/ws");
  CHECK(client.reply().field("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(client.reply().field("Upgrade") == "websocket");
  CHECK(client.reply().field("Connection") == "Upgrade");
  CHECK(client.reply().field("Content-Length").empty());
  for (const std::size_t size : {0, 1, 125, 126, 5000, 65535, 65536, 300'000}) {
    CAPTURE(size);
    const std::string payload(size, 'x');
    client.send_text(payload);
    client.send_binary(payload);
    CHECK(client.next() == "text " + payload);
    CHECK(client.next() == "binary " + payload);
  }
}

TEST_CASE("several messages in one write, also together with the handshake, are each answered") {
  ServedApp served(app_of(echo));
  std::string burst;
  for (int i = 0; i != 1000; ++i) burst += masked_frame({.opcode = Opcode::text}, std::to_string(i));
  WebSocketClient client(served.port(), "/ws", {}, burst);
  for (int i = 0; i != 1000; ++i) REQUIRE(client.next() == "text " + std::to_string(i));
}

TEST_CASE("a fragmented message is one message even with control frames between its fragments; pings are answered") {
  ServedApp served(app_of(echo));
  WebSocketClient client(served.port(), "/ws");
  const auto send = [&](std::string_view bytes) {
    for (const char byte : bytes) client.http().send({&byte, 1});
  };
  send(masked_frame({.opcode = Opcode::text, .final = false}, "one, ") +
       masked_frame({.opcode = Opcode::ping}, "there?"));
  CHECK(client.next() == "pong there?");
  send(masked_frame({.opcode = Opcode::continuation, .final = false}, "two, ") +
       masked_frame({.opcode = Opcode::continuation}, "three"));
  CHECK(client.next() == "text one, two, three");
}

TEST_CASE("a client's close reaches the handler and is answered with its code") {
  Endings endings;
  ServedApp served(app_of(read_to_end(endings)));
  WebSocketClient client(served.port(), "/ws");
  client.send_text("hello");
  client.close(CloseCode{4000}, "done");
  CHECK(client.next() == "close 4000");
  CHECK(client.http().end() == HttpClient::End::closed);
  CHECK(endings.first() == "4000done");
}

TEST_CASE("the end of the handler closes with 1000, with its own code, or with 1011 if it threw") {
  App app;
  app.ws("/returns", [](WebSocket&) -> Task<> { co_return; });
  app.ws("/closes", [](WebSocket& socket) -> Task<> {
    co_await socket.close(CloseCode{4001}, "enough");
    if (co_await socket.receive()) throw std::logic_error("a message was received after the close");
    co_await socket.send_text("too late");
    throw std::logic_error("a message was sent after the close");  // Not visible to the peer, only in the log.
  });
  app.ws("/throws", [](WebSocket&) -> Task<> {
    co_await yield();
    throw std::runtime_error("decided by the test");
  });
  ServedApp served(std::move(app));
  const struct {
    std::string_view target;
    std::string want;
  } cases[] = {
      {"/returns", "close 1000"},
      {"/closes", "close 4001 enough"},
      {"/throws", "close 1011"},
  };
  for (const auto& [target, want] : cases) {
    CAPTURE(target);
    WebSocketClient client(served.port(), target);
    CHECK(client.next() == want);
    CHECK(client.http().end() == HttpClient::End::closed);
  }
}

TEST_CASE("a peer that violates the protocol receives the close code and reason") {
  Endings endings;
  ServedApp served(app_of(read_to_end(endings), {.message_bytes_max = 1000}));
  std::string unmasked;
  websocket::append_frame(unmasked, {.opcode = Opcode::text}, "a");
  const struct {
    std::string_view why;
    std::string bytes;
    std::string want;
  } cases[] = {
      {"a message that is too big", masked_frame({.opcode = Opcode::text}, std::string(1001, 'x')),
       "close 1009 message too big"},
      {"fragments that are too big together",
       masked_frame({.opcode = Opcode::binary, .final = false}, std::string(600, 'x')) +
           masked_frame({.opcode = Opcode::continuation}, std::string(600, 'x')),
       "close 1009 message too big"},
      {"no UTF-8", masked_frame({.opcode = Opcode::text}, "\xc3\x28"), "close 1007 text is not UTF-8"},
      {"unmasked", unmasked, "close 1002 client frame is not masked"},
      {"a compressed frame without negotiation", masked_frame({.opcode = Opcode::text, .compressed = true}, "a"),
       "close 1002 reserved bit set"},
  };
  std::size_t ended = 0;
  for (const auto& [why, bytes, want] : cases) {
    CAPTURE(why);
    WebSocketClient client(served.port(), "/ws");
    client.http().send(bytes);
    CHECK(client.next() == want);
    ++ended;
    CHECK(eventually([&] { return endings.count() == ended; }));
  }
  CHECK(endings.first() == "1009message too big");
}

TEST_CASE("messages are compressed if both ends support it") {
  ServedApp served(app_of(echo, {.deflate = true}));
  WebSocketClient client(served.port(), "/ws", "Sec-WebSocket-Extensions: permessage-deflate\r\n");
  CHECK(client.reply().field("Sec-WebSocket-Extensions").starts_with("permessage-deflate"));
  for (const std::size_t size : {0, 10, 1000, 200'000}) {
    const std::string payload(size, 'x');
    client.send_text(payload);
    CHECK(client.next() == "text " + payload);
  }
  WebSocketClient plain(served.port(), "/ws");
  CHECK(plain.reply().field("Sec-WebSocket-Extensions").empty());
  plain.send_text("plain");
  CHECK(plain.next() == "text plain");
}

TEST_CASE("a client that disconnects ends the handler's await") {
  Endings endings;
  ServedApp served(app_of(read_to_end(endings)));
  SUBCASE("by a reset") { WebSocketClient(served.port(), "/ws").http().reset(); }
  SUBCASE("by an end without a close frame") { WebSocketClient(served.port(), "/ws").http().close(); }
  SUBCASE("within a frame") {
    WebSocketClient client(served.port(), "/ws");
    client.http().send(masked_frame({.opcode = Opcode::text}, "half a frame").substr(0, 9));
    client.http().finish_sending();
    CHECK(endings.first() == "1006");
  }
  CHECK(endings.first() == "1006");
  CHECK(served.has_connections(0));
}

TEST_CASE("a client that disconnects ends a handler that only sends") {
  Endings endings;
  ServedApp served(app_of([&](WebSocket& socket) -> Task<> {
    try {
      for (;;) {
        co_await socket.send_text("tick");
        co_await sleep_for(1ms);
      }
    } catch (const Disconnected&) {
      endings.add(socket);
      throw;
    }
  }));
  {
    WebSocketClient client(served.port(), "/ws");
    CHECK(client.next() == "text tick");
  }
  CHECK(endings.first() == "1006");
  CHECK(served.has_connections(0));
}

TEST_CASE("a silent peer is pinged, and disconnected if it does not answer") {
  Endings endings;
  ServedApp served(app_of(read_to_end(endings), {.ping = 20ms, .pong_timeout = 5s}));
  WebSocketClient client(served.port(), "/ws");
  for (int i = 0; i != 5; ++i) CHECK(client.next() == "ping ");
  CHECK(endings.count() == 0);
  std::string ping;  // No response from here on.
  websocket::append_frame(ping, {.opcode = Opcode::ping}, "");
  CHECK(client.http().read_some() == ping);
  CHECK(endings.first() == "1006");
  CHECK(client.http().end() == HttpClient::End::closed);
}

TEST_CASE("draining closes with 1001 and ends the handler's await") {
  Endings endings;
  App app = app_of(read_to_end(endings));
  app.ws("/ticks", [](WebSocket& socket) -> Task<> {
    for (;;) {
      co_await socket.send_text("tick");
      co_await sleep_for(1ms);
    }
  });
  ServedApp served(std::move(app), {.linger_timeout = 50ms});
  WebSocketClient reading(served.port(), "/ws");
  WebSocketClient ticking(served.port(), "/ticks");
  CHECK(ticking.next() == "text tick");
  served.server().start_drain();
  CHECK(eventually([&] { return served.server().nudge(), endings.count() == 1; }));
  CHECK(reading.next() == "close 1001");
  CHECK(endings.first() == "1001");
  std::string last = ticking.next();
  while (last == "text tick") last = ticking.next();
  CHECK(last == "close 1001");
  CHECK(reading.http().end() == HttpClient::End::closed);
  CHECK(ticking.http().end() == HttpClient::End::closed);
  CHECK(served.drain());
}

TEST_CASE("the wait for the peer's close ends after the close timeout, whatever the peer sends") {
  ServedApp served(app_of([](WebSocket&) -> Task<> { co_return; }, {.close_timeout = 100ms}), {.linger_timeout = 50ms});
  WebSocketClient silent(served.port(), "/ws");
  WebSocketClient talking(served.port(), "/ws");
  const std::string frame = masked_frame({.opcode = Opcode::text}, "I talk on");
  while (talking.http().try_send(frame) && served.server().connection_count() == 2) std::this_thread::sleep_for(1ms);
  silent.http().close();
  CHECK(served.has_connections(0));
}

TEST_SUITE_END();

}  // namespace volt::http
