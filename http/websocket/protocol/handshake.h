// SPDX-License-Identifier: MIT

// The server side of the opening handshake, RFC 6455 section 4.2.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/headers.h"
#include "http/message/request_head.h"
#include "http/message/status.h"
#include "http/websocket/protocol/deflate_parameters.h"
#include "http/websocket/protocol/websocket_options.h"

namespace volt::http::websocket {

inline constexpr std::string_view kVersion = "13";  // Sec-WebSocket-Version.
inline constexpr std::size_t kKeyBytes = 16;        // Of a decoded Sec-WebSocket-Key.

struct Acceptance {
  std::string accept;                        // Sec-WebSocket-Accept.
  std::string protocol;                      // Sec-WebSocket-Protocol; empty: none.
  std::optional<DeflateParameters> deflate;  // Parameters for the session; nullopt: no compression.
  std::string extensions;                    // Sec-WebSocket-Extensions; empty: none.

  // All header fields of the 101 response except Date.
  FieldList fields() const;
};

struct Refusal {
  Status status = Status::bad_request;  // 400, 403 or 426.
  std::string_view why;                 // Static text.

  // For a 426, the fields that name the required protocol and version.
  FieldList fields() const;
};

// Accepts or rejects a handshake. The status of a rejection is 426 if the request is not a handshake or requests a
// version other than 13, 400 if the handshake is malformed, and 403 if the origin is not allowed. Offered extensions
// and protocols that the server does not support are ignored (section 4.2.2).
std::expected<Acceptance, Refusal> accept_handshake(const message::RequestHead& head, const WebSocketOptions& options);

// The value of Sec-WebSocket-Accept, which proves that the server understood the handshake (section 4.2.2 step 5.4).
std::string accept_key(std::string_view key);

}  // namespace volt::http::websocket
