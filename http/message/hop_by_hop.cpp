// SPDX-License-Identifier: MIT

#include "http/message/hop_by_hop.h"

#include <algorithm>
#include <array>

#include "http/message/ascii.h"

namespace volt::http::message {

bool is_connection_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 10> kNames = {
      "connection", "content-length",    "expect",  "keep-alive", "proxy-authorization", "proxy-connection",
      "te",         "transfer-encoding", "trailer", "upgrade",
  };
  return std::ranges::any_of(kNames, [&](std::string_view own) { return equal_ignoring_case(name, own); });
}

}  // namespace volt::http::message
