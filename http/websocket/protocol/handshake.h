// The opening handshake as a server decides it, RFC 6455 section 4.2.
//
// Threads: pure functions.
#pragma once

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

struct Acceptance {
  std::string accept;                        // Sec-WebSocket-Accept
  std::string protocol;                      // Sec-WebSocket-Protocol; empty: none
  std::optional<DeflateParameters> deflate;  // for the session
  std::string extensions;                    // Sec-WebSocket-Extensions; empty: none

  // All fields of the 101 but Date.
  FieldList fields() const;
};

struct Refusal {
  Status status = Status::bad_request;  // 400, 403 or 426
  std::string_view why;                 // static text

  // Of a 426: what to upgrade to.
  FieldList fields() const;
};

// Refuses with 426 what is no handshake, or one of another version; with 400 a malformed one; with 403 an origin that
// is not allowed. An offer of extensions or protocols that we do not take is no reason to refuse (section 4.2.2).
std::expected<Acceptance, Refusal> accept_handshake(const message::RequestHead& head, const WebSocketOptions& options);

// What proves that the answer's sender understood the handshake, section 4.2.2 step 5.4.
std::string accept_key(std::string_view key);

}  // namespace volt::http::websocket
