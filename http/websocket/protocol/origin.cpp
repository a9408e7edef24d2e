// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/origin.h"

#include <algorithm>

#include "http/message/ascii.h"

namespace volt::http::websocket {
namespace {

using message::equal_ignoring_case;

constexpr std::string_view kSeparator = "://";

std::string_view without_default_port(std::string_view authority, std::string_view scheme) noexcept {
  const std::string_view port = equal_ignoring_case(scheme, "https") ? ":443" : ":80";
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  return authority;
}

bool same_host(std::string_view origin, std::string_view host) noexcept {
  const std::size_t separator = origin.find(kSeparator);
  if (separator == std::string_view::npos || host.empty()) return false;  // "null", or not an origin.
  const std::string_view scheme = origin.substr(0, separator);
  if (!equal_ignoring_case(scheme, "https") && !equal_ignoring_case(scheme, "http")) return false;
  const std::string_view authority = origin.substr(separator + kSeparator.size());
  return equal_ignoring_case(without_default_port(authority, scheme), without_default_port(host, scheme));
}

}  // namespace

bool origin_allowed(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept {
  if (allowed.empty()) return same_host(origin, host);
  return std::ranges::any_of(allowed,
                             [&](const std::string& one) { return one == "*" || equal_ignoring_case(one, origin); });
}

}  // namespace volt::http::websocket
