// SPDX-License-Identifier: MIT

// WebSocketError: why a client rejects a server's response to its opening handshake (RFC 6455 section 4.1).
//
// Threads: any.
#pragma once

#include <cstdint>
#include <system_error>
#include <type_traits>

namespace volt::http {

enum class WebSocketError : std::uint8_t {
  refused = 1,          // the status is not 101
  not_upgraded,         // a 101 without `Connection: Upgrade` and `Upgrade: websocket`
  bad_accept,           // Sec-WebSocket-Accept is missing or repeated, or does not match the key
  unoffered_protocol,   // the server chose a subprotocol that the client did not offer, or several
  unoffered_extension,  // the server chose an extension that the client did not offer, or one twice
  bad_extension,        // Sec-WebSocket-Extensions is malformed, or contradicts the offer of permessage-deflate
};

[[nodiscard]] const std::error_category& websocket_category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(WebSocketError error) noexcept {
  return {static_cast<int>(error), websocket_category()};
}

}  // namespace volt::http

template <>
struct std::is_error_code_enum<volt::http::WebSocketError> : std::true_type {};
