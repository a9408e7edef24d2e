// SPDX-License-Identifier: MIT

#include "http/testing/web_socket.h"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "http/web/upgrade.h"
#include "http/websocket/protocol/handshake.h"
#include "http/websocket/protocol/session.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

// A minimal server that echoes messages, and acts on "close", "leave" and "ping".
class Echo final : public Upgrade {
 public:
  explicit Echo(const websocket::MessageRules& rules) : session_(rules) {}

  [[nodiscard]] std::string_view protocol() const noexcept override { return "websocket"; }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override {
    std::array<char, 4096> received;
    while (!session_.closed() && !left_) {
      const Result<void> ready = co_await stream.readable();
      const Result<std::size_t> count = stream.try_read(std::as_writable_bytes(std::span(received)));
      if (!count && count.error() == std::errc::operation_would_block) {
        if (!ready && ready.error() == std::errc::interrupted) session_.close(CloseCode::going_away);
      } else if (!count || *count == 0) {
        co_return;
      } else {
        session_.feed(std::span(received).first(*count));
        while (const auto event = session_.next()) take(*event);
      }
      std::string out;
      session_.take_output(out);
      co_await stream.write_all(std::as_bytes(std::span(out)));
    }
  }

 private:
  void take(const websocket::Event& event) {
    using Kind = websocket::Event::Kind;
    if (event.kind == Kind::binary) session_.send_binary(event.payload);
    if (event.kind != Kind::text) return;
    if (event.payload == "close") session_.close(CloseCode{4000}, "as you wish");
    if (event.payload == "leave") left_ = true;
    if (event.payload == "ping") session_.ping("there?");
    session_.send_text(event.payload);
  }

  websocket::Session session_;
  bool left_ = false;
};

Response upgrade(const Request& request, const WebSocketOptions& options) {
  const message::RequestHead head{
      .method = request.method(), .version = request.version(), .host = request.host(), .fields = request.headers()};
  const auto acceptance = websocket::accept_handshake(head, options);
  if (!acceptance) throw Problem(acceptance.error().status, std::string(acceptance.error().why));
  const websocket::MessageRules rules{.message_bytes_max = std::size_t{4} << 20, .deflate = acceptance->deflate};
  Response response = Response::upgrade(std::make_unique<Echo>(rules));
  response.header("Sec-WebSocket-Accept", acceptance->accept);
  if (!acceptance->protocol.empty()) response.header("Sec-WebSocket-Protocol", acceptance->protocol);
  if (!acceptance->extensions.empty()) response.header("Sec-WebSocket-Extensions", acceptance->extensions);
  return response;
}

App chat_app() {
  App app;
  app.get("/chat", [](Request& request) {
    return upgrade(request, {.deflate = true, .deflate_context = true, .protocols = {"b", "a"}});
  });
  app.get("/liar", [](Request&) {
    Response response = Response::upgrade(std::make_unique<Echo>(websocket::MessageRules{}));
    response.header("Sec-WebSocket-Accept", websocket::accept_key("another key"));
    return response;
  });
  app.get("/pushy", [](Request& request) {
    Response response = upgrade(request, {});
    response.header("Sec-WebSocket-Extensions", "permessage-deflate");
    return response;
  });
  return app;
}

TestMessage text(std::string payload) { return {.kind = TestMessage::Kind::text, .payload = std::move(payload)}; }

}  // namespace

TEST_SUITE_BEGIN("http/testing/web_socket");

TEST_CASE("messages are sent in both directions") {
  TestClient client(chat_app(), on_test_engine());
  for (const bool deflate : {false, true}) {
    CAPTURE(deflate);
    TestWebSocket socket = client.websocket("/chat", {.deflate = deflate});
    CHECK(socket.status() == 101);
    CHECK(socket.header("sec-websocket-extensions").has_value() == deflate);
    CHECK(socket.quiet());
    for (const std::string message : {"", "hello", "hello again, hello again, hello again"}) {
      socket.send_text(message);
      CHECK(socket.receive() == text(message));
    }
    const std::string large(1'000'000, 'a');
    socket.send_binary(large);
    const TestMessage echoed = socket.receive();
    CHECK(echoed.kind == TestMessage::Kind::binary);
    CHECK((echoed.payload == large));
    CHECK(socket.quiet());
  }
}

TEST_CASE("receive() responds to pings") {
  TestClient client(chat_app(), on_test_engine());
  TestWebSocket socket = client.websocket("/chat");
  socket.send_text("ping");
  CHECK_FALSE(socket.quiet());
  CHECK(socket.receive() == text("ping"));
  CHECK(socket.pings() == 1);
  socket.ping("anybody");
  CHECK(socket.quiet());
  CHECK(socket.pongs() == 1);
}

TEST_CASE("either end may close") {
  TestClient client(chat_app(), on_test_engine());
  TestWebSocket closing = client.websocket("/chat");
  closing.send_text("too late to be read");
  CHECK(closing.close(CloseCode::going_away) ==
        TestMessage{.kind = TestMessage::Kind::close, .code = CloseCode::going_away});
  CHECK_THROWS_AS(closing.send_text("more"), TestFailure);

  TestWebSocket closed = client.websocket("/chat");
  closed.send_text("close");
  const TestMessage end{.kind = TestMessage::Kind::close, .payload = "as you wish", .code = CloseCode{4000}};
  CHECK(closed.receive() == end);
  CHECK(closed.receive() == end);
  client.clock().settle();
  client.clock().advance(6s);  // a lingering close waits for 5 s
  CHECK(client.server().connection_count() == 0);
}

TEST_CASE("a connection that ends without a close is an abnormal closure") {
  TestClient client(chat_app(), on_test_engine());
  TestWebSocket left = client.websocket("/chat");
  left.send_text("leave");
  CHECK(left.receive() == text("leave"));
  CHECK(left.receive() == TestMessage{.kind = TestMessage::Kind::close, .code = CloseCode::abnormal});
  TestWebSocket leaving = client.websocket("/chat");
  leaving.disconnect();
  client.clock().advance(6s);  // a lingering close waits for 5 s
  CHECK(client.server().connection_count() == 0);
}

TEST_CASE("a drain closes WebSockets with 1001") {
  TestClient client(chat_app(), on_test_engine());
  TestWebSocket socket = client.websocket("/chat");
  client.start_drain();
  CHECK(socket.receive() == TestMessage{.kind = TestMessage::Kind::close, .code = CloseCode::going_away});
  CHECK(client.drain());
}

TEST_CASE("subprotocols are offered in order") {
  TestClient client(chat_app(), on_test_engine());
  CHECK(client.websocket("/chat", {.protocols = {"a", "c"}}).protocol() == "a");
  CHECK(client.websocket("/chat", {.protocols = {"c"}}).protocol().empty());
}

TEST_CASE("a refusal is a response; an invalid acceptance fails the test") {
  TestClient client(chat_app(), on_test_engine());
  TestWebSocket refused = client.websocket("/chat", {.headers = {{"Origin", "https://example.com"}}});
  CHECK(refused.status() == 403);
  CHECK_THROWS_AS(refused.send_text("hello"), TestFailure);
  CHECK_THROWS_AS(static_cast<void>(refused.receive()), TestFailure);
  CHECK(client.websocket("/none").status() == 404);
  CHECK(client.get("/chat").send().status() == 426);
  CHECK_THROWS_AS(static_cast<void>(client.websocket("/liar")), TestFailure);
  CHECK_THROWS_AS(static_cast<void>(client.websocket("/pushy")), TestFailure);
}

TEST_SUITE_END();

}  // namespace volt::http
