// SPDX-License-Identifier: MIT

// TestWebSocket: the client's end of a WebSocket (RFC 6455). receive() responds to pings.
//
// Threads: the test's thread. Lifetime: must not outlive the TestClient; the destructor closes the connection.
// Errors: TestFailure if nothing is received. If the server has refused the handshake, every function except status()
// and header() throws TestFailure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/testing/response.h"
#include "http/websocket/protocol/close_code.h"

namespace volt::http {

namespace testing {
class WebSocketCall;
}
class TestRequest;

struct TestWebSocketOptions {
  std::vector<TestField> headers;      // besides those of the handshake
  std::vector<std::string> protocols;  // offered in this order of preference
  bool deflate = false;                // whether to offer permessage-deflate
  std::size_t message_bytes_max = std::size_t{16} << 20;
};

struct TestMessage {
  enum class Kind : std::uint8_t { text, binary, close };

  Kind kind = Kind::text;
  std::string payload;                    // for a close: the reason
  CloseCode code = CloseCode::no_status;  // for a close; abnormal: the connection ended without one

  bool operator==(const TestMessage&) const = default;
};

class TestWebSocket {
 public:
  // Sends the handshake and waits for the response. Throws TestFailure for an invalid acceptance.
  TestWebSocket(TestRequest request, const TestWebSocketOptions& options);
  TestWebSocket(TestWebSocket&&) noexcept;
  TestWebSocket& operator=(TestWebSocket&&) noexcept;
  ~TestWebSocket();

  // 101, or the status of the server's refusal.
  TestStatus status() const noexcept;
  std::optional<std::string_view> header(std::string_view name) const noexcept;
  // The subprotocol that the server selected; empty: none.
  std::string_view protocol() const noexcept { return header("sec-websocket-protocol").value_or(""); }

  void send_text(std::string_view text);
  void send_binary(std::string_view bytes);
  void ping(std::string_view payload = {});
  // Waits for the next message, or the end. After the end, returns the end again.
  TestMessage receive();
  // The numbers of pings and pongs that receive() has consumed. It does not return them.
  std::size_t pings() const;
  std::size_t pongs() const;
  // Waits until all tasks of the server wait. Returns whether there is no unread message and the end was not received.
  [[nodiscard]] bool quiet();

  // Performs the closing handshake and returns the server's close. Discards messages that arrive before it.
  TestMessage close(CloseCode code = CloseCode::normal, std::string_view reason = {});
  // Disconnects without a closing handshake.
  void disconnect() noexcept;

 private:
  testing::WebSocketCall& open() const;

  std::unique_ptr<testing::WebSocketCall> call_;
};

}  // namespace volt::http
