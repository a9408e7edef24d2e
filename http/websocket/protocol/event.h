// What a peer did, as the application is told.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/websocket/protocol/close_code.h"

namespace volt::http::websocket {

struct Event {
  enum class Kind : std::uint8_t {
    text,
    binary,
    ping,  // will be answered without the application
    pong,
    close,    // the last event; `code`, and the reason in `payload`
    failure,  // the last event: the peer broke the protocol; `code` and `payload` are what it was told, if it still could
  };

  Kind kind = Kind::text;
  CloseCode code = CloseCode::no_status;
  std::string_view payload;  // text, a close reason: valid UTF-8

  bool operator==(const Event&) const = default;
};

}  // namespace volt::http::websocket
