// SPDX-License-Identifier: MIT

// Makes the request for an upstream from the client's request.
#pragma once

#include <http/client/client.h>
#include <http/web/request.h>

#include <string>
#include <string_view>

#include "apps/proxy/options.h"

namespace proxy {

inline constexpr std::string_view kVia = "1.1 volt-proxy";  // RFC 9110 section 7.6.3

// Whether reading of the client's body has begun. If so, the request cannot be sent to another upstream. Stored in the
// client's request, because that outlives the reader of its body.
struct BodyProgress {
  bool begun = false;
};

// Returns the request for the upstream: without hop-by-hop fields, with fields that name the client, and with the
// client's body, streamed.
[[nodiscard]] volt::http::ClientRequest make_upstream_request(volt::http::Request& request, const std::string& upstream,
                                                              const Options& options);

// Returns the text with the ASCII letters in lower case.
[[nodiscard]] std::string lowered(std::string_view text);

// Returns whether the field names the client or a proxy, so that a client must not forge it.
[[nodiscard]] bool is_forwarding_field(std::string_view name);

// Returns whether a trailer called `name` may be forwarded. Programs that merge trailers with the header fields would
// take it for a field that the proxy removes from the head. Names with '_' may be read as names with '-'.
[[nodiscard]] bool is_forwarded_trailer(std::string_view name);

// Returns whether the request may be forwarded: not if it is OPTIONS with `Max-Forwards: 0` (RFC 9110 section 7.6.2),
// which the proxy itself answers. The server refuses TRACE. Throws Problem (400) if the value is not a number.
[[nodiscard]] bool may_be_forwarded(const volt::http::Request& request);

// Returns the protocol to which the client requests an upgrade, if the options permit it; otherwise an empty string.
[[nodiscard]] std::string_view upgrade_of(const volt::http::Request& request, const Options& options);

}  // namespace proxy
