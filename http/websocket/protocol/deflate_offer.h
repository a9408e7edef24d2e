// SPDX-License-Identifier: MIT

// The negotiation of permessage-deflate, RFC 7692 section 7.1: turns a client's offer into parameters for both ends.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "http/websocket/protocol/deflate_parameters.h"
#include "http/websocket/protocol/extension_list.h"

namespace volt::http::websocket {

struct DeflateAgreement {
  DeflateParameters parameters;
  std::string field;  // Element of Sec-WebSocket-Extensions that accepts the offer.

  bool operator==(const DeflateAgreement&) const = default;
};

// Accepts the first acceptable offer; nullopt if there is none. If `keep_context` is false, neither end keeps its
// compression window between messages.
std::optional<DeflateAgreement> accept_deflate(std::span<const Extension> offers, bool keep_context);

}  // namespace volt::http::websocket
