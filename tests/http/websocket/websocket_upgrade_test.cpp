// SPDX-License-Identifier: MIT

#include "http/websocket/websocket.h"

#include <doctest/doctest.h>

#include <string>

#include "http/web/extract.h"
#include "tests/support/served_app.h"
#include "tests/support/websocket_client.h"
#include "tests/support/websocket_handlers.h"

namespace volt::http {
namespace {

using test::app_of;
using test::echo;
using test::handshake;
using test::HttpClient;
using test::Reply;
using test::ServedApp;
using test::WebSocketClient;

}  // namespace

TEST_SUITE_BEGIN("http/websocket/websocket_upgrade");

TEST_CASE("a request that is not a valid handshake is rejected, RFC 6455 section 4.2") {
  App app;
  app.ws("/ws", echo);
  ServedApp served(std::move(app));
  const std::string get = "GET /ws HTTP/1.1\r\nHost: a\r\n";
  const struct {
    std::string_view why;
    std::string request;
    int status;
    std::string_view upgrade, version;
  } cases[] = {
      {"a plain GET", get + "\r\n", 426, "websocket", "13"},
      {"another version", get + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n\r\n", 426,
       "websocket", "13"},
      {"no key", get + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n", 400, "", ""},
      {"a foreign page", handshake("/ws", "Origin: https://evil.example\r\n"), 403, "", ""},
      {"a body, which would be read as frames", handshake("/ws", "Content-Length: 2\r\n") + "ab", 400, "", ""},
      {"another method", "POST /ws HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 405, "", ""},
  };
  for (const auto& [why, request, status, upgrade, version] : cases) {
    CAPTURE(why);
    HttpClient client(served.port());
    const Reply reply = client.ask(request);
    CHECK(reply.status == status);
    CHECK(reply.field("Upgrade") == upgrade);
    CHECK(reply.field("Sec-WebSocket-Version") == version);
    CHECK(client.ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n").status == 404);  // The connection stays open.
  }
}

TEST_CASE("a subprotocol is chosen, and an allowed origin is accepted") {
  const auto tell = [](WebSocket& socket) -> Task<> {
    const std::string chosen(socket.subprotocol());
    co_await socket.send_text(chosen);
  };
  ServedApp served(app_of(tell, {.protocols = {"v2", "v1"}, .origins = {"https://good.example"}}));
  WebSocketClient client(served.port(), "/ws", "Sec-WebSocket-Protocol: v1, v2\r\nOrigin: https://good.example\r\n");
  CHECK(client.reply().field("Sec-WebSocket-Protocol") == "v2");
  CHECK(client.next() == "text v2");
  CHECK(client.next() == "close 1000");
}

struct User {
  std::string name;
};

TEST_CASE(
    "middleware runs before the handshake; its values, the path and the state are valid until the handler returns") {
  App app;
  app.state(std::string("state"));
  app.use(http::provide<User>([](Request& request, Next next) -> Task<Response> {
    const auto token = request.bearer();
    if (!token) throw http::unauthorized();
    request.put(User{std::string(*token)});
    Response response = co_await next(request);
    response.header("X-User", request.get<User>().name);
    co_return response;
  }));
  app.ws("/chat/{room}",
         [](WebSocket& socket, Path<std::string> room, From<User> user, const State<std::string>& state) -> Task<> {
           for (int i = 0; i != 2; ++i) {
             const auto message = co_await socket.receive();
             co_await socket.send_text(*room + " " + user->name + " " + *state + " " + message->data);
           }
         });
  ServedApp served(std::move(app));
  CHECK(HttpClient(served.port()).ask(handshake("/chat/red")).status == 401);
  WebSocketClient client(served.port(), "/chat/red", "Authorization: Bearer Ada-with-a-name-that-is-long\r\n");
  CHECK(client.reply().field("X-User") == "Ada-with-a-name-that-is-long");
  // Other requests reuse the memory that contained the handshake.
  HttpClient other(served.port());
  CHECK(other.ask("GET /" + std::string(500, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n").status == 401);
  client.send_text("1");
  CHECK(client.next() == "text red Ada-with-a-name-that-is-long state 1");
  client.send_text("2");
  CHECK(client.next() == "text red Ada-with-a-name-that-is-long state 2");
}

TEST_SUITE_END();

}  // namespace volt::http
