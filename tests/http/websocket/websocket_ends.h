// SPDX-License-Identifier: MIT

// The ends of a WebSocket, for tests of the client: a client that connects, and a server that sends any bytes.
//
// Threads: any.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/client/client.h"
#include "http/server/app.h"
#include "http/web/upgrade.h"
#include "http/websocket/protocol/frame_encoder.h"
#include "http/websocket/protocol/handshake.h"
#include "http/websocket/protocol/session.h"
#include "http/websocket/websocket_client.h"
#include "tests/support/served_app.h"

namespace volt::http::websocket {

using ClientHandler = std::move_only_function<Task<>(WebSocket&)>;
using Connected = std::expected<void, WebSocketFailure>;

inline Connected connect(test::ServedApp& served, const std::string& target, WebSocketClientOptions options,
                         ClientHandler handler) {
  HttpClient client;
  return served.runtime().block_on([&] {
    return with_websocket(client, "ws://" + served.address().to_string() + target, std::move(options),
                          std::move(handler));
  });
}

// Runs a handler that only receives. Returns "code reason" of the WebSocket's end.
inline std::string end_of(test::ServedApp& served, WebSocketClientOptions options = {}) {
  std::string end;
  const Connected connected = connect(served, "/ws", std::move(options), [&](WebSocket& socket) -> Task<> {
    for (;;) {
      const auto message = co_await socket.receive();
      if (!message) break;
    }
    end = std::to_string(code(socket.close_code())) + " " + socket.close_reason();
  });
  CHECK(connected);
  return end;
}

inline std::string frame_of(const FrameHead& head, std::string_view payload) {
  std::string frame;
  append_frame(frame, head, payload);
  return frame;
}

// The server's end of an upgraded connection, which sends any bytes.
class RawEnd {
 public:
  explicit RawEnd(UpgradedStream& stream) noexcept : stream_(stream) {}

  Task<> write(std::string bytes) {
    const Result<void> written = co_await stream_.write_all(std::as_bytes(std::span(bytes)));
    CHECK(written);
  }
  // Returns the client's next frame, such as "message hello" or "close 1002 why"; "end" at the end.
  Task<std::string> next() {
    for (;;) {
      if (const auto event = session_.next()) co_return describe(*event);
      const Result<std::size_t> count = co_await stream_.read(std::as_writable_bytes(std::span(received_)));
      if (!count || *count == 0) co_return "end";
      session_.feed(std::span(received_).first(*count));
    }
  }

 private:
  static std::string describe(const Event& event) {
    using Kind = Event::Kind;
    const std::string payload(event.payload);
    if (event.kind == Kind::pong) return "pong " + payload;
    if (event.kind == Kind::close) return "close " + std::to_string(code(event.code)) + " " + payload;
    if (event.kind == Kind::failure) return "failure " + payload;
    return (event.kind == Kind::ping ? "ping " : "message ") + payload;
  }

  UpgradedStream& stream_;
  Session session_{MessageRules{}};
  std::array<char, 4096> received_{};
};

using Script = std::function<Task<>(RawEnd&)>;

class Scripted final : public Upgrade {
 public:
  explicit Scripted(Script script) : script_(std::move(script)) {}
  [[nodiscard]] std::string_view protocol() const noexcept override { return "websocket"; }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override {
    RawEnd end(stream);
    co_await script_(end);
  }

 private:
  const Script script_;
};

// Accepts a handshake; then the connection does what `script` says.
inline Response accept_with(const Request& request, Script script) {
  Response response = Response::upgrade(std::make_unique<Scripted>(std::move(script)));
  response.header("Sec-WebSocket-Accept", accept_key(request.header("sec-websocket-key").value_or("")));
  return response;
}

// An app whose WebSocket does what `script` says.
inline App scripted(Script script) {
  App app;
  app.get("/ws", [script](const Request& request) { return accept_with(request, script); });
  return app;
}

}  // namespace volt::http::websocket
