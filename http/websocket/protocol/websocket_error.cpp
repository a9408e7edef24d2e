// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/websocket_error.h"

#include <string>

namespace volt::http {
namespace {

class WebSocketCategory final : public std::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "websocket"; }
  [[nodiscard]] std::string message(int number) const override {
    switch (static_cast<WebSocketError>(number)) {
      case WebSocketError::refused:
        return "the server refused the WebSocket";
      case WebSocketError::not_upgraded:
        return "the server's 101 response has no Upgrade to websocket";
      case WebSocketError::bad_accept:
        return "the server's Sec-WebSocket-Accept does not match the key";
      case WebSocketError::unoffered_protocol:
        return "the server chose a subprotocol that was not offered";
      case WebSocketError::unoffered_extension:
        return "the server chose an extension that was not offered";
      case WebSocketError::bad_extension:
        return "the server's Sec-WebSocket-Extensions is malformed or contradicts the offer";
    }
    return "unknown";
  }
};

}  // namespace

const std::error_category& websocket_category() noexcept {
  static const WebSocketCategory category;
  return category;
}

}  // namespace volt::http
