// SPDX-License-Identifier: MIT

#include "http/testing/web_socket.h"

#include <cstdint>

#include "http/testing/internal/call.h"
#include "http/testing/request.h"
#include "http/websocket/protocol/client_handshake.h"
#include "http/websocket/protocol/session.h"

namespace volt::http {
namespace {

websocket::ClientHandshake handshake_of(const TestWebSocketOptions& options) {
  return {.key = websocket::random_key(),
          .protocols = options.protocols,
          .deflate = options.deflate,
          .deflate_context = true};
}

TestRequest with_handshake(TestRequest request, const websocket::ClientHandshake& handshake,
                           const std::vector<TestField>& headers) {
  request.header("Connection", "Upgrade").header("Upgrade", "websocket");
  for (const auto& [name, value] : handshake.fields()) request.header(name, value);
  for (const TestField& field : headers) request.header(field.name, field.value);
  return request;
}

// The fields of a response in the form that the check of the handshake reads.
class FieldsOf {
 public:
  explicit FieldsOf(const TestResponse& response) {
    for (const TestField& field : response.headers()) {
      const std::uint32_t name_begin = append(field.name);
      const std::uint32_t value_begin = append(field.value);
      spans_.push_back({name_begin, static_cast<std::uint32_t>(field.name.size()), value_begin,
                        static_cast<std::uint32_t>(field.value.size())});
    }
  }
  Fields view() const noexcept { return {text_.data(), spans_}; }

 private:
  std::uint32_t append(std::string_view part) {
    const std::size_t begin = text_.size();
    text_ += part;
    return static_cast<std::uint32_t>(begin);
  }

  std::string text_;
  std::vector<message::FieldSpan> spans_;
};

// Throws TestFailure if a client must reject the server's response to the handshake (RFC 6455 section 4.1).
websocket::MessageRules accepted_rules(const TestResponse& response, const websocket::ClientHandshake& handshake,
                                       std::size_t message_bytes_max) {
  const FieldsOf fields(response);
  const auto agreed = check_response(handshake, Status::switching_protocols, fields.view());
  if (!agreed) throw TestFailure(make_error_code(agreed.error()).message());
  return {.role = websocket::Role::client, .message_bytes_max = message_bytes_max, .deflate = agreed->deflate};
}

}  // namespace

namespace testing {

class WebSocketCall {
 public:
  WebSocketCall(const TestRequest& request, const TestWebSocketOptions& options)
      : WebSocketCall(request, options, handshake_of(options)) {}

  const TestResponse& response() const noexcept { return call_->reader().response(); }
  bool accepted() const noexcept { return response().status() == Status::switching_protocols; }
  websocket::Session& session() noexcept { return *session_; }
  Harness& harness() noexcept { return call_->harness(); }
  void disconnect() noexcept { call_->socket().close(); }

  // Returns the next message, if it has been received.
  std::optional<TestMessage> next() {
    if (peeked_) return std::exchange(peeked_, std::nullopt);
    return decode();
  }

  // Returns whether there is a next message.
  bool peek() {
    if (!peeked_) peeked_ = decode();
    return peeked_.has_value();
  }

  // Waits until bytes can be sent or received, and transfers them. Must be called only after next() has returned none.
  void move() {
    if (step()) return;
    call_->socket().wait(!unsent_.empty());
  }

  // Sends and receives without waiting. Returns whether bytes were transferred.
  bool step() {
    const bool sent = send_some();
    received_.clear();
    switch (call_->socket().try_receive(received_)) {
      case TransferResult::nothing:
        return sent;
      case TransferResult::some:
        session_->feed(received_);
        return true;
      case TransferResult::ended:
        session_->disconnected();
        if (!end_) end_ = TestMessage{TestMessage::Kind::close, {}, CloseCode::abnormal};
        return true;
    }
    std::unreachable();
  }

  // Sends pending output; the bytes that the socket does not accept are sent by a later call.
  bool send_some() {
    if (unsent_.empty() && session_->has_output()) {
      session_->take_output(out_);
      unsent_ = out_;
    }
    return !unsent_.empty() && call_->socket().try_send(unsent_) == TransferResult::some;
  }

  std::size_t pings = 0;
  std::size_t pongs = 0;

 private:
  WebSocketCall(const TestRequest& request, const TestWebSocketOptions& options,
                const websocket::ClientHandshake& handshake)
      : call_(with_handshake(request, handshake, options.headers).call()) {
    call_->await_head();
    if (!accepted()) return;
    session_.emplace(accepted_rules(call_->reader().response(), handshake, options.message_bytes_max));
    received_ = call_->reader().take_rest();
    session_->feed(received_);
  }

  std::optional<TestMessage> decode() {
    while (const std::optional<websocket::Event> event = session_->next()) {
      switch (event->kind) {
        case websocket::Event::Kind::text:
          return TestMessage{TestMessage::Kind::text, std::string(event->payload)};
        case websocket::Event::Kind::binary:
          return TestMessage{TestMessage::Kind::binary, std::string(event->payload)};
        case websocket::Event::Kind::ping:
          ++pings;
          break;
        case websocket::Event::Kind::pong:
          ++pongs;
          break;
        case websocket::Event::Kind::close:
          return end_ = TestMessage{TestMessage::Kind::close, std::string(event->payload), event->code};
        case websocket::Event::Kind::failure:
          throw TestFailure("the server broke the WebSocket protocol: " + std::string(event->payload));
      }
    }
    return end_;
  }

  std::unique_ptr<Call> call_;
  std::optional<websocket::Session> session_;
  std::optional<TestMessage> peeked_;
  std::optional<TestMessage> end_;
  std::string received_;
  std::string out_;
  std::string_view unsent_;  // the part of out_ that was not sent
};

}  // namespace testing

TestWebSocket::TestWebSocket(TestRequest request, const TestWebSocketOptions& options)
    : call_(std::make_unique<testing::WebSocketCall>(std::move(request), options)) {}
TestWebSocket::TestWebSocket(TestWebSocket&&) noexcept = default;
TestWebSocket& TestWebSocket::operator=(TestWebSocket&&) noexcept = default;
TestWebSocket::~TestWebSocket() = default;

TestStatus TestWebSocket::status() const noexcept { return call_->response().status(); }

std::optional<std::string_view> TestWebSocket::header(std::string_view name) const noexcept {
  return call_->response().header(name);
}

testing::WebSocketCall& TestWebSocket::open() const {
  if (!call_->accepted()) throw TestFailure("the server has refused the WebSocket: status " + std::to_string(status()));
  return *call_;
}

void TestWebSocket::send_text(std::string_view text) {
  if (!open().session().send_text(text)) throw TestFailure("the WebSocket is closed");
  while (call_->send_some()) {
  }
}

void TestWebSocket::send_binary(std::string_view bytes) {
  if (!open().session().send_binary(bytes)) throw TestFailure("the WebSocket is closed");
  while (call_->send_some()) {
  }
}

void TestWebSocket::ping(std::string_view payload) {
  if (!open().session().ping(payload)) throw TestFailure("the WebSocket is closed");
  while (call_->send_some()) {
  }
}

TestMessage TestWebSocket::receive() {
  testing::WebSocketCall& call = open();
  for (;;) {
    if (auto message = call.next()) {
      while (call.send_some()) {
      }
      return *std::move(message);
    }
    call.move();
  }
}

std::size_t TestWebSocket::pings() const { return open().pings; }
std::size_t TestWebSocket::pongs() const { return open().pongs; }

bool TestWebSocket::quiet() {
  do {
    open().harness().settle();
    if (call_->peek()) return false;
  } while (call_->step());
  return true;
}

TestMessage TestWebSocket::close(CloseCode code, std::string_view reason) {
  open().session().close(code, reason);
  TestMessage message = receive();
  while (message.kind != TestMessage::Kind::close) message = receive();
  return message;
}

void TestWebSocket::disconnect() noexcept { call_->disconnect(); }

}  // namespace volt::http
