// SPDX-License-Identifier: MIT

// The policy for a path that differs from a pattern only by a slash at its end.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace volt::http::route {

// The policy applies only to a path that no pattern matches. If both "/a" and "/a/" have routes, each path has its own
// route.
enum class TrailingSlash : std::uint8_t {
  strict,    // no match: 404
  redirect,  // 308 to the path that has a route; 308 keeps method and body (RFC 9110 section 15.4.9)
  ignore,    // served like the path that has a route
};

// Returns "/a/" for "/a", and "/a" for "/a/".
inline std::string with_slash_toggled(std::string_view path) {
  if (path.ends_with('/')) return std::string(path.substr(0, path.size() - 1));
  return std::string(path) + '/';
}

// Returns the Location of a redirect, from a request's path and query as received. Found::redirect is never set for a
// path that begins with "//", so the result never names another host (RFC 3986 section 4.2).
inline std::string slash_redirect_location(std::string_view path, std::string_view query) {
  std::string location = with_slash_toggled(path);
  if (!query.empty()) location.append("?").append(query);
  return location;
}

}  // namespace volt::http::route
