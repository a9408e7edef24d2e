// SPDX-License-Identifier: MIT

// Agreement: what client and server have agreed on in the opening handshake, RFC 6455 section 4.
#pragma once

#include <optional>
#include <string>

#include "http/websocket/protocol/deflate_parameters.h"

namespace volt::http::websocket {

struct Agreement {
  std::string protocol;                      // The subprotocol; empty: none.
  std::optional<DeflateParameters> deflate;  // nullopt: no compression.

  bool operator==(const Agreement&) const = default;
};

}  // namespace volt::http::websocket
