// TestWebSocket: the client's end of a WebSocket (RFC 6455). Pings are answered by whoever calls receive().
//
// Threads: the test's. Lifetime: within the TestClient's; when it goes, so does the connection.
// Errors: TestFailure when nothing comes, and from every member but status() and header() if the server has refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/testing/internal/response.h"
#include "http/websocket/protocol/close_code.h"

namespace volt::http {

namespace testing {
class WebSocketCall;
}
class TestRequest;

struct TestWebSocketOptions {
  std::vector<TestField> headers;      // besides those of the handshake
  std::vector<std::string> protocols;  // offered, the preferred first
  bool deflate = false;                // offers permessage-deflate
  std::size_t message_bytes_max = std::size_t{16} << 20;
};

struct TestMessage {
  enum class Kind : std::uint8_t { text, binary, close };

  Kind kind = Kind::text;
  std::string payload;                    // of a close: the reason
  CloseCode code = CloseCode::no_status;  // of a close; abnormal: the connection just ended

  bool operator==(const TestMessage&) const = default;
};

class TestWebSocket {
 public:
  // Sends the handshake and waits for the response. Throws TestFailure for an acceptance that is none.
  TestWebSocket(TestRequest request, const TestWebSocketOptions& options);
  TestWebSocket(TestWebSocket&&) noexcept;
  TestWebSocket& operator=(TestWebSocket&&) noexcept;
  ~TestWebSocket();

  // 101, or why there is no WebSocket.
  TestStatus status() const noexcept;
  std::optional<std::string_view> header(std::string_view name) const noexcept;
  // What was agreed on; empty: none.
  std::string_view protocol() const noexcept { return header("sec-websocket-protocol").value_or(""); }

  void send_text(std::string_view text);
  void send_binary(std::string_view bytes);
  void ping(std::string_view payload = {});
  // Waits for the next message, or the end; the end again, once it came.
  TestMessage receive();
  // Of those that receive() has passed over.
  std::size_t pings() const;
  std::size_t pongs() const;
  // Nothing has come that was not received, and nothing will unless time passes.
  [[nodiscard]] bool quiet();

  // The closing handshake, which drops the messages that come first: how the server answered.
  TestMessage close(CloseCode code = CloseCode::normal, std::string_view reason = {});
  // The client goes away without one.
  void disconnect() noexcept;

 private:
  testing::WebSocketCall& open() const;

  std::unique_ptr<testing::WebSocketCall> call_;
};

}  // namespace volt::http
