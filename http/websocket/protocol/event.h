// SPDX-License-Identifier: MIT

// Event: an action of the peer, as reported to the application.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/websocket/protocol/close_code.h"

namespace volt::http::websocket {

struct Event {
  enum class Kind : std::uint8_t {
    text,
    binary,
    ping,  // The session has already queued the pong.
    pong,
    close,    // The last event: the peer's close, with `code` and the reason in `payload`.
    failure,  // The last event: a violation by the peer. `code` and `payload` are those of our close frame.
  };

  Kind kind = Kind::text;
  CloseCode code = CloseCode::no_status;
  std::string_view payload;  // Valid UTF-8 for a text and for a close reason.

  bool operator==(const Event&) const = default;
};

}  // namespace volt::http::websocket
