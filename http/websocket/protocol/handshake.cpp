// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/handshake.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "http/message/ascii.h"
#include "http/websocket/protocol/deflate_offer.h"
#include "http/websocket/protocol/extension_list.h"
#include "http/websocket/protocol/origin.h"

namespace volt::http::websocket {
namespace {

// RFC 9110 section 7.8: Upgrade is valid only if Connection names it, and never in HTTP/1.0.
bool is_websocket_upgrade(const message::RequestHead& head) noexcept {
  return head.version == Version::http_1_1 && head.fields.lists("connection", "upgrade") &&
         head.fields.lists("upgrade", "websocket");
}

std::ptrdiff_t count(const Fields& fields, std::string_view name) noexcept {
  const Fields::Matches matches = fields.all(name);
  return std::distance(matches.begin(), matches.end());
}

std::optional<Refusal> refuse_head(const message::RequestHead& head) {
  const Fields& fields = head.fields;
  if (head.method != Method::get) return Refusal{Status::bad_request, "a WebSocket handshake must be a GET request"};
  if (!is_websocket_upgrade(head)) return Refusal{Status::upgrade_required, "an upgrade to WebSocket is required"};
  for (const std::string_view name : {"sec-websocket-version", "sec-websocket-key", "origin"}) {
    if (count(fields, name) > 1) return Refusal{Status::bad_request, "a field of the handshake is repeated"};
  }
  if (fields.find("sec-websocket-version") != kVersion) {
    return Refusal{Status::upgrade_required, "only WebSocket version 13 is supported"};
  }
  const auto key = crypto::base64_decode(fields.find("sec-websocket-key").value_or(""));
  if (!key || key->size() != kKeyBytes) return Refusal{Status::bad_request, "Sec-WebSocket-Key is not 16 bytes"};
  return std::nullopt;
}

bool origin_refused(const message::RequestHead& head, const WebSocketOptions& options) noexcept {
  const auto origin = head.fields.find("origin");
  return origin && !origin_allowed(*origin, head.host, options.origins);
}

// Returns the subprotocols that the client offers; nullopt if a field is malformed.
std::optional<std::vector<std::string_view>> offered_protocols(const Fields& fields) {
  std::vector<std::string_view> offered;
  for (std::string_view list : fields.all("sec-websocket-protocol")) {
    while (!list.empty()) {
      const std::string_view element = message::take_list_element(list);
      if (element.empty()) continue;
      if (!message::is_token(element)) return std::nullopt;
      offered.push_back(element);
    }
  }
  return offered;
}

// Protocols are compared case-sensitively, in accordance with section 11.3.4.
std::string choose_protocol(std::span<const std::string_view> offered, std::span<const std::string> ours) {
  const auto chosen = std::ranges::find_if(
      ours, [&](const std::string& one) { return std::ranges::find(offered, std::string_view(one)) != offered.end(); });
  return chosen == ours.end() ? std::string() : *chosen;
}

}  // namespace

FieldList Acceptance::fields() const {
  FieldList fields;
  fields.set("Upgrade", "websocket");
  fields.set("Connection", "Upgrade");
  fields.set("Sec-WebSocket-Accept", accept);
  if (!protocol.empty()) fields.set("Sec-WebSocket-Protocol", protocol);
  if (!extensions.empty()) fields.set("Sec-WebSocket-Extensions", extensions);
  return fields;
}

FieldList Refusal::fields() const {
  FieldList fields;
  if (status != Status::upgrade_required) return fields;
  fields.set("Upgrade", "websocket");
  fields.set("Connection", "Upgrade");
  fields.set("Sec-WebSocket-Version", kVersion);
  return fields;
}

std::expected<Acceptance, Refusal> accept_handshake(const message::RequestHead& head, const WebSocketOptions& options) {
  if (const auto refusal = refuse_head(head)) return std::unexpected(*refusal);
  if (origin_refused(head, options)) return std::unexpected(Refusal{Status::forbidden, "origin not allowed"});
  const auto protocols = offered_protocols(head.fields);
  if (!protocols) return std::unexpected(Refusal{Status::bad_request, "malformed Sec-WebSocket-Protocol"});
  const auto extensions = read_extensions(head.fields);
  if (!extensions) return std::unexpected(Refusal{Status::bad_request, "malformed Sec-WebSocket-Extensions"});

  Acceptance acceptance{.accept = accept_key(*head.fields.find("sec-websocket-key")),
                        .protocol = choose_protocol(*protocols, options.protocols)};
  if (options.deflate) {
    if (auto agreement = accept_deflate(*extensions, options.deflate_context)) {
      acceptance.deflate = agreement->parameters;
      acceptance.extensions = std::move(agreement->field);
    }
  }
  return acceptance;
}

std::string accept_key(std::string_view key) {
  constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  return crypto::base64_encode(crypto::sha1(std::string(key).append(kGuid)));
}

}  // namespace volt::http::websocket
