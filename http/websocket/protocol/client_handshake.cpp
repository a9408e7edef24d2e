// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/client_handshake.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>

#include "crypto/base64.h"
#include "crypto/random.h"
#include "http/message/ascii.h"
#include "http/websocket/protocol/deflate_offer.h"
#include "http/websocket/protocol/extension_list.h"
#include "http/websocket/protocol/handshake.h"

namespace volt::http::websocket {
namespace {

std::string join_protocols(const std::vector<std::string>& protocols) {
  std::string joined;
  for (auto protocol = protocols.begin(); protocol != protocols.end(); ++protocol) {
    if (!message::is_token(*protocol)) throw std::invalid_argument("the subprotocol is not a token: " + *protocol);
    if (std::find(protocols.begin(), protocol, *protocol) != protocol) {
      throw std::invalid_argument("the subprotocol is offered twice: " + *protocol);
    }
    joined.append(joined.empty() ? "" : ", ").append(*protocol);
  }
  return joined;
}

// Section 11.3.3: the field appears once.
bool accepts(const Fields& fields, const ClientHandshake& handshake) {
  const Fields::Matches accepts = fields.all("sec-websocket-accept");
  return std::distance(accepts.begin(), accepts.end()) == 1 && *accepts.begin() == accept_key(handshake.key);
}

// Returns the subprotocol that the server chose, or an empty text; nullopt if it was not offered. Section 11.3.4: the
// field appears at most once, and its value is compared case-sensitively.
std::optional<std::string> chosen_protocol(const Fields& fields, const ClientHandshake& handshake) {
  std::optional<std::string> chosen;
  for (const std::string_view protocol : fields.all("sec-websocket-protocol")) {
    if (chosen || std::ranges::find(handshake.protocols, protocol) == handshake.protocols.end()) return std::nullopt;
    chosen = protocol;
  }
  return chosen.value_or("");
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> ClientHandshake::fields() const {
  std::vector<std::pair<std::string_view, std::string>> fields = {{"Sec-WebSocket-Version", std::string(kVersion)},
                                                                  {"Sec-WebSocket-Key", key}};
  if (!protocols.empty()) fields.emplace_back("Sec-WebSocket-Protocol", join_protocols(protocols));
  if (deflate) fields.emplace_back("Sec-WebSocket-Extensions", offer_deflate(deflate_context));
  return fields;
}

std::string random_key() {
  std::array<std::byte, kKeyBytes> key;
  crypto::fill_random(key);
  return crypto::base64_encode(key);
}

std::expected<Agreement, WebSocketError> check_response(const ClientHandshake& handshake, Status status,
                                                        const Fields& fields) {
  if (status != Status::switching_protocols) return std::unexpected(WebSocketError::refused);
  if (!fields.lists("connection", "upgrade") || !fields.lists("upgrade", "websocket")) {
    return std::unexpected(WebSocketError::not_upgraded);
  }
  if (!accepts(fields, handshake)) return std::unexpected(WebSocketError::bad_accept);
  std::optional<std::string> protocol = chosen_protocol(fields, handshake);
  if (!protocol) return std::unexpected(WebSocketError::unoffered_protocol);
  const std::optional<std::vector<Extension>> extensions = read_extensions(fields);
  if (!extensions) return std::unexpected(WebSocketError::bad_extension);
  Agreement agreement{.protocol = *std::move(protocol)};
  for (const Extension& extension : *extensions) {
    const bool offered = handshake.deflate && extension.name == kDeflateName;
    if (!offered || agreement.deflate) return std::unexpected(WebSocketError::unoffered_extension);
    agreement.deflate = read_accepted_deflate(extension, handshake.deflate_context);
    if (!agreement.deflate) return std::unexpected(WebSocketError::bad_extension);
  }
  return agreement;
}

}  // namespace volt::http::websocket
