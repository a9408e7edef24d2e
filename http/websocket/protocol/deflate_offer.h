// The negotiation of permessage-deflate, RFC 7692 section 7.1: what a client offers becomes what both ends do.
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
  std::string field;  // the element of Sec-WebSocket-Extensions that answers the offer

  bool operator==(const DeflateAgreement&) const = default;
};

// The first offer that we can accept; none if there is none. Without `keep_context` neither end keeps any.
std::optional<DeflateAgreement> accept_deflate(std::span<const Extension> offers, bool keep_context);

}  // namespace volt::http::websocket
