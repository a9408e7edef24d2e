// SPDX-License-Identifier: MIT

// WebSocketClient: a blocking client made of HttpClient and the sans-I/O session in the client's role.
//
// Threads: one at a time. Fails by throwing std::runtime_error, which fails the test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/websocket/protocol/session.h"
#include "tests/support/http_client.h"

namespace volt::test {

inline constexpr std::string_view kHandshakeFields =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

inline std::string handshake(std::string_view target, std::string_view more_fields = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(kHandshakeFields) +
         std::string(more_fields) + "\r\n";
}

class WebSocketClient {
 public:
  // Shakes hands. `behind` is sent with the handshake.
  WebSocketClient(std::uint16_t port, std::string_view target, std::string_view more_fields = {},
                  std::string_view behind = {}, HttpClient::Options options = {})
      : http_(port, options) {
    http_.send(handshake(target, more_fields) + std::string(behind));
    reply_ = http_.read();
    if (reply_.status != 101) throw std::runtime_error("no WebSocket: " + reply_.head);
    http::websocket::MessageRules rules{.role = http::websocket::Role::client, .message_bytes_max = 64 * 1024 * 1024};
    if (!reply_.field("Sec-WebSocket-Extensions").empty()) {
      rules.deflate = {.server_no_context_takeover = true, .client_no_context_takeover = true};
    }
    session_.emplace(rules);
  }

  [[nodiscard]] const Reply& reply() const noexcept { return reply_; }
  [[nodiscard]] HttpClient& http() noexcept { return http_; }

  void send_text(std::string_view text) { session_->send_text(text), flush(); }
  void send_binary(std::string_view bytes) { session_->send_binary(bytes), flush(); }
  void ping(std::string_view payload) { session_->ping(payload), flush(); }
  void close(http::CloseCode code, std::string_view reason = {}) { session_->close(code, reason), flush(); }

  // The next event: "text hello", "binary ..", "ping ..", "pong ..", "close 1000 why", "failure 1002 why"; "end" at the
  // end. Pings and closes are answered.
  [[nodiscard]] std::string next() {
    for (;;) {
      if (const auto event = session_->next()) {
        const std::string told = describe(*event);
        flush();
        return told;
      }
      if (session_->closed()) return "end";
      received_ = http_.read_some();
      if (received_.empty()) return "end";
      session_->feed(received_);
    }
  }

 private:
  static std::string describe(const http::websocket::Event& event) {
    using Kind = http::websocket::Event::Kind;
    const std::string payload(event.payload);
    const std::string code = std::to_string(http::code(event.code)) + (payload.empty() ? "" : " ");
    switch (event.kind) {
      case Kind::text:
        return "text " + payload;
      case Kind::binary:
        return "binary " + payload;
      case Kind::ping:
        return "ping " + payload;
      case Kind::pong:
        return "pong " + payload;
      case Kind::close:
        return "close " + code + payload;
      case Kind::failure:
        return "failure " + code + payload;
    }
    std::unreachable();
  }

  void flush() {
    std::string out;
    session_->take_output(out);
    if (!http_.try_send(out)) session_->disconnected();
  }

  HttpClient http_;
  Reply reply_;
  std::string received_;
  std::optional<http::websocket::Session> session_;
};

}  // namespace volt::test
