// A URI as a client needs it, in parts (RFC 3986, RFC 9110 section 4.2).
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::client {

struct Uri {
  bool secure = false;    // https
  std::string authority;  // as it was written: what Host says
  std::string host;       // in lower case, without the port and an IPv6 address' brackets
  std::uint16_t port = 80;
  std::string target;  // path and query, beginning with '/'

  [[nodiscard]] bool same_origin(const Uri& other) const noexcept {
    return secure == other.secure && host == other.host && port == other.port;
  }
};

// The fragment is dropped. Nothing: other schemes, userinfo, what message::valid_host() refuses, a byte that no target
// has.
[[nodiscard]] std::optional<Uri> parse_uri(std::string_view text);

// What `reference` means where `base` was asked for (RFC 3986 section 5.2).
[[nodiscard]] std::optional<Uri> resolve_reference(const Uri& base, std::string_view reference);

}  // namespace volt::http::client
