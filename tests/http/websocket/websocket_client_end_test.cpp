// SPDX-License-Identifier: MIT

// How the client's end of a WebSocket ends: by either end, a violation, a lost connection, or a cancellation.
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "http/client/client.h"
#include "http/http.h"
#include "http/websocket/websocket_client.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "tests/http/websocket/websocket_ends.h"
#include "tests/support/canned_server.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::app_of;
using test::CannedServer;
using test::echo;
using test::Endings;
using test::eventually;
using test::read_to_end;
using test::ServedApp;
using websocket::ClientHandler;
using websocket::connect;
using websocket::Connected;
using websocket::end_of;
using websocket::frame_of;
using websocket::Opcode;
using websocket::RawEnd;
using websocket::scripted;

}  // namespace

TEST_SUITE_BEGIN("http/websocket/websocket_client_end");

TEST_CASE("the client closes with its own code, or that of the handler's end") {
  struct Broken {};
  struct {
    std::string why;
    ClientHandler handler;
    std::string want;
  } cases[] = {
      {"the handler returns", [](WebSocket&) -> Task<> { co_return; }, "1000"},
      {"it closes", [](WebSocket& socket) -> Task<> { co_await socket.close(CloseCode{4000}, "bye"); }, "4000bye"},
      {"it throws",
       [](WebSocket&) -> Task<> {
         throw Broken();
         co_return;
       },
       "1011"},
  };
  for (auto& [why, handler, want] : cases) {
    CAPTURE(why);
    Endings endings;
    ServedApp served(app_of(read_to_end(endings)));
    if (want == "1011") {
      CHECK_THROWS_AS(connect(served, "/ws", {}, std::move(handler)), Broken);
    } else {
      CHECK(connect(served, "/ws", {}, std::move(handler)));
    }
    CHECK(endings.first() == want);
    CHECK(served.has_connections(0));
  }
}

TEST_CASE("the client learns why the server has closed") {
  ServedApp closing(app_of([](WebSocket& socket) -> Task<> { co_await socket.close(CloseCode{4001}, "enough"); }));
  CHECK(end_of(closing) == "4001 enough");
  ServedApp large(app_of([](WebSocket& socket) -> Task<> {
    const std::string text(1001, 'x');
    co_await socket.send_text(text);
    const auto end = co_await socket.receive();
    CHECK_FALSE(end);
    CHECK(socket.close_code() == CloseCode::message_too_big);
  }));
  CHECK(end_of(large, {.message_bytes_max = 1000}) == "1009 message too big");

  base::Atomic<bool> opened{false};
  ServedApp draining(app_of([&opened](WebSocket& socket) -> Task<> {
    opened.store(true);
    co_await echo(socket);
  }));
  std::thread drainer([&] { CHECK((eventually([&] { return opened.load(); }) && draining.drain())); });
  CHECK(end_of(draining) == "1001 ");
  drainer.join();
}

TEST_CASE("a message in fragments is whole, and pings between them are answered") {
  ServedApp served(scripted([](RawEnd& end) -> Task<> {
    co_await end.write(frame_of({.opcode = Opcode::text, .final = false}, "hel"));
    co_await end.write(frame_of({.opcode = Opcode::ping}, "there?"));
    co_await end.write(frame_of({.opcode = Opcode::continuation, .final = false}, ""));
    co_await end.write(frame_of({.opcode = Opcode::continuation}, "lo"));
    const std::string pong = co_await end.next();
    CHECK(pong == "pong there?");
    const std::string reply = co_await end.next();
    CHECK(reply == "message hello!");
    const std::string close = co_await end.next();
    CHECK(close == "close 1000 ");
    co_await end.write(frame_of({.opcode = Opcode::close}, std::string("\x03\xe8", 2)));
    const std::string after = co_await end.next();  // the client waits for the server to close the connection
    CHECK(after == "end");
  }));
  const auto reply = [](WebSocket& socket) -> Task<> {
    const auto message = co_await socket.receive();
    REQUIRE(message);
    co_await socket.send_text(message->data + "!");
  };
  CHECK(connect(served, "/ws", {.close_timeout = 100ms}, reply));
}

TEST_CASE("pings are answered while the handler does not receive") {
  Notify ponged;
  ServedApp served(scripted([&ponged](RawEnd& end) -> Task<> {
    co_await end.write(frame_of({.opcode = Opcode::ping}, "1"));
    const std::string pong = co_await end.next();
    CHECK(pong == "pong 1");
    ponged.notify_one();
  }));
  bool answered = false;
  const auto wait = [&](WebSocket&) -> Task<> {
    const Result<void> told = co_await within(20s, [&]() -> Task<> { co_await ponged.notified(); });
    answered = told.has_value();
  };
  CHECK(connect(served, "/ws", {}, wait));
  CHECK(answered);
}

TEST_CASE("a server that violates the protocol is told so, and the connection ends") {
  const struct {
    std::string why;
    std::string frame;
    std::string want;
  } cases[] = {
      {"a masked frame", frame_of({.opcode = Opcode::text, .mask = websocket::Mask{1, 2, 3, 4}}, "hello"),
       "1002 server frame is masked"},
      {"a reserved opcode", frame_of({.opcode = static_cast<Opcode>(3)}, ""), "1002 reserved opcode"},
      {"compression that was not negotiated", frame_of({.opcode = Opcode::text, .compressed = true}, "x"),
       "1002 reserved bit set"},
      {"text that is not UTF-8", frame_of({.opcode = Opcode::text}, "\xff"), "1007 text is not UTF-8"},
  };
  for (const auto& [why, frame, want] : cases) {
    CAPTURE(why);
    std::string told;
    ServedApp served(scripted([&](RawEnd& end) -> Task<> {
      co_await end.write(frame);
      told = co_await end.next();
    }));
    CHECK(end_of(served) == want);
    CHECK(served.has_connections(0));
    CHECK(told == "close " + want);
  }
}

TEST_CASE("a server that vanishes, is silent or does not read ends the WebSocket with 1006") {
  ServedApp vanishing(scripted([](RawEnd&) -> Task<> { co_return; }), {.linger_timeout = 50ms});
  CHECK(end_of(vanishing) == "1006 ");
  bool refused = false;
  const auto send_forever = [&](WebSocket& socket) -> Task<> {
    try {
      for (;;) co_await socket.send_text("hello");
    } catch (const Disconnected&) {
      refused = true;
      throw;
    }
  };
  CHECK(connect(vanishing, "/ws", {}, send_forever));  // Disconnected is not rethrown
  CHECK(refused);

  Notify end_of_test;
  ServedApp silent(scripted([&](RawEnd&) -> Task<> { co_await end_of_test.notified(); }));
  CHECK(end_of(silent, {.ping = 20ms, .pong_timeout = 20ms, .close_timeout = 1ms}) == "1006 ");
  end_of_test.notify_one();
  std::string end;
  const auto send_much = [&](WebSocket& socket) -> Task<> {
    try {
      co_await socket.send_binary(std::string(16'000'000, 'x'));  // more than the socket buffers hold
    } catch (const Disconnected&) {
      end = std::to_string(code(socket.close_code()));
    }
  };
  CHECK(connect(silent, "/ws", {.ping = 0ms, .send_timeout = 50ms}, send_much));
  CHECK(end == "1006");
  end_of_test.notify_one();
}

TEST_CASE("cancelling ends an attempt to connect, and a handler that receives") {
  Endings endings;
  ServedApp served(app_of(read_to_end(endings)));
  HttpClient client;
  const CannedServer silent({});
  served.runtime().block_on([&]() -> Task<> {
    const auto attempt = [&] { return with_websocket(client, "ws" + silent.uri().substr(4), {}, echo); };
    const auto in_time = co_await within(50ms, attempt);
    REQUIRE_FALSE(in_time);
    CHECK(in_time.error() == std::errc::timed_out);
    const Connected late =
        co_await with_websocket(client, "ws" + silent.uri().substr(4), {.deadline = Deadline::after(50ms)}, echo);
    REQUIRE_FALSE(late);
    CHECK(late.error().error == std::errc::timed_out);

    Notify receiving;
    bool ended = false;
    const auto receive = [&](WebSocket& socket) -> Task<> {
      receiving.notify_one();
      const auto message = co_await socket.receive();
      ended = !message;
    };
    const auto connection = [&] {
      return with_websocket(client, "ws://" + served.address().to_string() + "/ws", {}, receive);
    };
    const auto begun = [&]() -> Task<> { co_await receiving.notified(); };
    const auto first = co_await race(connection, begun);
    CHECK(first.index() == 1);
    CHECK_FALSE(ended);
  });
  CHECK(eventually([&] { return silent.open_connections() == 0; }));
  CHECK(endings.first() == "1006");
  CHECK(served.has_connections(0));
}

TEST_SUITE_END();

}  // namespace volt::http
