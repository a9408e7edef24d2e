// SPDX-License-Identifier: MIT

// Uri: the parts of a URI that a client needs (RFC 3986, RFC 9110 section 4.2).
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::client {

struct Uri {
  bool secure = false;    // true for https
  std::string authority;  // as it was written; the value of Host
  std::string host;       // in lower case, without the port and without the brackets of an IPv6 address
  std::uint16_t port = 80;
  std::string target;  // path and query, beginning with '/'

  [[nodiscard]] bool same_origin(const Uri& other) const noexcept {
    return secure == other.secure && host == other.host && port == other.port;
  }
};

// Parses a URI and drops its fragment. Returns none for another scheme, for userinfo, for a host that
// message::valid_host() refuses, and for a byte that a request target cannot contain.
[[nodiscard]] std::optional<Uri> parse_uri(std::string_view text);

// Resolves `reference` against `base`, the URI of the request (RFC 3986 section 5.2).
[[nodiscard]] std::optional<Uri> resolve_reference(const Uri& base, std::string_view reference);

}  // namespace volt::http::client
