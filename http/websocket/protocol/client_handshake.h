// SPDX-License-Identifier: MIT

// The client side of the opening handshake, RFC 6455 section 4.1. It needs no I/O: the client sends the fields in a
// request for an upgrade to `websocket`, and checks the response.
//
// Threads: pure functions.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/headers.h"
#include "http/message/status.h"
#include "http/websocket/protocol/agreement.h"
#include "http/websocket/protocol/websocket_error.h"

namespace volt::http::websocket {

struct ClientHandshake {
  std::string key;                     // Sec-WebSocket-Key; a new one for each connection.
  std::vector<std::string> protocols;  // Offered in this order of preference.
  bool deflate = false;                // Whether permessage-deflate is offered.
  bool deflate_context = false;        // With deflate, whether the ends may keep their compression windows.

  // The fields of the request besides Upgrade and Connection. Throws std::invalid_argument if a protocol is not a
  // token, or is repeated.
  std::vector<std::pair<std::string_view, std::string>> fields() const;
};

// Returns a Sec-WebSocket-Key: 16 random bytes in base64 (section 4.1 step 7).
std::string random_key();

// Returns what the server has agreed to, or why the client must fail the connection.
std::expected<Agreement, WebSocketError> check_response(const ClientHandshake& handshake, Status status,
                                                        const Fields& fields);

}  // namespace volt::http::websocket
