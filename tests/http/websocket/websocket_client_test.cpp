// SPDX-License-Identifier: MIT

// The client's end of a WebSocket, against a server of Volt and against servers that send what they must not.
#include "http/websocket/websocket_client.h"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "http/client/client.h"
#include "http/http.h"
#include "http/websocket/protocol/handshake.h"
#include "runtime/select.h"
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
using test::ServedApp;
using websocket::accept_with;
using websocket::connect;
using websocket::Connected;
using websocket::RawEnd;

WebSocketFailure failure_of(ServedApp& served, const std::string& target, WebSocketClientOptions options = {}) {
  const Connected connected = connect(served, target, std::move(options), echo);
  REQUIRE_FALSE(connected);
  return connected.error();
}

// A handler that accepts a handshake, but sets one field of the response.
auto answering(std::string name, std::string value) {
  return [name, value](const Request& request) {
    Response response = accept_with(request, [](RawEnd&) -> Task<> { co_return; });
    response.header(name, value);
    return response;
  };
}

}  // namespace

TEST_SUITE_BEGIN("http/websocket/websocket_client");

TEST_CASE("messages of all lengths are exchanged with a server, with and without compression") {
  Endings endings;
  ServedApp served(app_of(
      [&endings](WebSocket& socket) -> Task<> {
        co_await echo(socket);
        endings.add(socket);
      },
      {.message_bytes_max = 1'000'000, .deflate = true, .deflate_context = true}));
  const WebSocketClientOptions all[] = {{.message_bytes_max = 1'000'000},
                                        {.message_bytes_max = 1'000'000, .deflate = true},
                                        {.message_bytes_max = 1'000'000, .deflate = true, .deflate_context = true}};
  for (const WebSocketClientOptions& options : all) {
    CAPTURE(options.deflate);
    CAPTURE(options.deflate_context);
    const Connected connected = connect(served, "/ws", options, [](WebSocket& socket) -> Task<> {
      for (const std::size_t bytes : {0, 1, 125, 126, 65'535, 65'536, 1'000'000}) {
        std::string sent(bytes, 'x');
        for (std::size_t i = 0; i < bytes; i += 7) sent[i] = static_cast<char>('a' + i % 26);
        for (const bool text : {true, false}) {
          co_await (text ? socket.send_text(sent) : socket.send_binary(sent));
          const auto echoed = co_await socket.receive();
          REQUIRE(echoed);
          CHECK(echoed->text == text);
          CHECK((echoed->data == sent));
        }
      }
    });
    CHECK(connected);
  }
  CHECK(endings.first() == "1000");
  CHECK(eventually([&] { return endings.count() == std::size(all); }));
  CHECK(served.has_connections(0));
}

TEST_CASE("one handler serves both ends, and message() is a branch of select()") {
  const auto count = [](WebSocket& socket) -> Task<> {  // sends a number that is one higher, up to 9
    for (;;) {
      auto chosen = co_await select(socket.message(), sleep_for(20s));
      REQUIRE(chosen.index() == 0);
      const auto& message = std::get<0>(chosen);
      if (!message || message->data == "9") co_return;
      co_await socket.send_text(std::to_string(std::stoi(message->data) + 1));
    }
  };
  ServedApp served(app_of(count));
  CloseCode end = CloseCode::abnormal;
  const Connected connected = connect(served, "/ws", {}, [&](WebSocket& socket) -> Task<> {
    co_await socket.send_text("1");
    co_await count(socket);
    end = socket.close_code();
  });
  CHECK(connected);
  CHECK(end == CloseCode::normal);  // the server got the 9, and closed first
  CHECK(served.has_connections(0));
}

TEST_CASE("fields, subprotocols and redirects belong to the handshake") {
  App app;
  app.use([](Request& request, Next next) -> Task<Response> {
    if (request.header("authorization") != "Bearer t") throw http::unauthorized();
    co_return co_await next(request);
  });
  app.get("/moved", [] { return http::redirect("/ws"); });
  app.ws("/ws", {.protocols = {"v3", "v2"}}, [](WebSocket& socket) -> Task<> {
    const std::string chosen(socket.subprotocol());
    co_await socket.send_text(chosen);
  });
  ServedApp served(std::move(app));
  HttpClient client({.redirects_max = 1});
  for (const char* target : {"/ws", "/moved"}) {
    CAPTURE(target);
    std::string chosen;
    std::string told;
    const Connected connected = served.runtime().block_on([&] {
      return with_websocket(client, "ws://" + served.address().to_string() + target,
                            {.headers = {{"Authorization", "Bearer t"}}, .protocols = {"v1", "v2"}},
                            [&](WebSocket& socket) -> Task<> {
                              chosen = socket.subprotocol();
                              const auto message = co_await socket.receive();
                              told = message.value_or(WebSocket::Message()).data;
                            });
    });
    CHECK(connected);
    CHECK(chosen == "v2");
    CHECK(told == "v2");
  }
  CHECK(failure_of(served, "/ws").status == Status::unauthorized);
}

TEST_CASE("a refused handshake is a failure with the response's status, fields and body") {
  App app;
  app.ws("/ws", echo);
  app.get("/page", [] { return "no WebSocket here"; });
  app.get("/long", [] { return std::string(WebSocketFailure::kBodyBytesMax + 1, 'x'); });
  ServedApp served(std::move(app));

  const WebSocketFailure foreign = failure_of(served, "/ws", {.headers = {{"Origin", "https://evil.example"}}});
  CHECK(foreign.error == WebSocketError::refused);
  CHECK(foreign.status == Status::forbidden);
  CHECK(foreign.headers.find("content-type").value_or("").starts_with("application/problem+json"));
  CHECK(foreign.body.contains("origin not allowed"));
  CHECK(foreign.to_string() == "the server refused the WebSocket: status 403");

  const WebSocketFailure page = failure_of(served, "/page");
  CHECK(page.error == WebSocketError::refused);
  CHECK(page.status == Status::ok);
  CHECK(page.body == "no WebSocket here");
  CHECK(failure_of(served, "/none").status == Status::not_found);
  CHECK(failure_of(served, "/long").body.size() == WebSocketFailure::kBodyBytesMax);
  CHECK(served.has_connections(0));
}

TEST_CASE("a response that a client must not accept is a failure, and the handler is not called") {
  App app;
  app.get("/key", answering("Sec-WebSocket-Accept", websocket::accept_key("another key")));
  app.get("/protocol", answering("Sec-WebSocket-Protocol", "chat"));
  app.get("/extension", answering("Sec-WebSocket-Extensions", "permessage-deflate"));
  ServedApp served(std::move(app));
  const WebSocketFailure wrong_key = failure_of(served, "/key");
  CHECK(wrong_key.error == WebSocketError::bad_accept);
  CHECK(wrong_key.status == Status::switching_protocols);
  CHECK(wrong_key.to_string() == "the server's Sec-WebSocket-Accept does not match the key");
  CHECK(failure_of(served, "/protocol").error == WebSocketError::unoffered_protocol);
  CHECK(failure_of(served, "/extension").error == WebSocketError::unoffered_extension);
  CHECK(failure_of(served, "/extension", {.deflate = true}).error == WebSocketError::bad_extension);
  CHECK(served.has_connections(0));
}

TEST_CASE("an attempt that gets no response is a failure with the client's error") {
  ServedApp served(app_of(echo));
  HttpClient client;
  const auto error_for = [&](const std::string& uri, WebSocketClientOptions options = {}) {
    const Connected connected =
        served.runtime().block_on([&] { return with_websocket(client, uri, std::move(options), echo); });
    REQUIRE_FALSE(connected);
    CHECK_FALSE(connected.error().status);
    return connected.error().error;
  };
  CHECK(error_for("ftp://a/") == ClientError::bad_uri);
  CHECK(error_for("ws:/a/") == ClientError::bad_uri);
  CHECK(error_for("wss://a/") == ClientError::no_tls);
  CHECK(error_for("WSS://a/") == ClientError::no_tls);
  const CannedServer other({{.answer = "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n"}});
  CHECK(error_for("ws" + other.uri().substr(4)) == ClientError::upgraded);
}

TEST_CASE("invalid fields and subprotocols are refused") {
  ServedApp served(app_of(echo));
  CHECK_THROWS_AS(connect(served, "/ws", {.headers = {{"Sec-WebSocket-Key", "x"}}}, echo), std::invalid_argument);
  CHECK_THROWS_AS(connect(served, "/ws", {.headers = {{"Connection", "close"}}}, echo), std::invalid_argument);
  CHECK_THROWS_AS(connect(served, "/ws", {.headers = {{"X", "a\r\nb"}}}, echo), std::invalid_argument);
  CHECK_THROWS_AS(connect(served, "/ws", {.protocols = {"two words"}}, echo), std::invalid_argument);
  CHECK_THROWS_AS(connect(served, "/ws", {.protocols = {"a", "b", "a"}}, echo), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http
