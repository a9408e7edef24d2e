// SPDX-License-Identifier: MIT

// The negotiation of permessage-deflate, RFC 7692 section 7.1: turns a client's offer into parameters for both ends.
// The server accepts an offer; the client makes one and reads the server's response.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/websocket/protocol/deflate_parameters.h"
#include "http/websocket/protocol/extension_list.h"

namespace volt::http::websocket {

inline constexpr std::string_view kDeflateName = "permessage-deflate";

struct DeflateAgreement {
  DeflateParameters parameters;
  std::string field;  // Element of Sec-WebSocket-Extensions that accepts the offer.

  bool operator==(const DeflateAgreement&) const = default;
};

// Accepts the first acceptable offer; nullopt if there is none. If `keep_context` is false, neither end keeps its
// compression window between messages.
std::optional<DeflateAgreement> accept_deflate(std::span<const Extension> offers, bool keep_context);

// Returns the client's offer, an element of Sec-WebSocket-Extensions. If `keep_context` is false, it requests that
// neither end keeps its compression window between messages.
std::string offer_deflate(bool keep_context);

// Returns the parameters of a server that has accepted the offer of offer_deflate(keep_context). nullopt if the client
// must fail the connection (section 7.1): a parameter is unknown, invalid or repeated, or the server keeps its window
// although the offer requests otherwise. Also for a client's window of 2^8 bytes, because zlib cannot deflate with it.
std::optional<DeflateParameters> read_accepted_deflate(const Extension& accepted, bool keep_context);

}  // namespace volt::http::websocket
