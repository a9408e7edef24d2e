// What a path means that has a slash at its end too many, or too few, for the pattern it is nearly of.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace volt::http::route {

// Only for a path that no pattern matches: where "/a" and "/a/" both have routes, each has its own.
enum class TrailingSlash : std::uint8_t {
  strict,    // nothing: not found
  redirect,  // the client is sent to the path that has a route: 308, which keeps method and body (RFC 9110, 15.4.9)
  ignore,    // the same as the path that has a route
};

// "/a/" of "/a" and back.
inline std::string with_slash_toggled(std::string_view path) {
  if (path.ends_with('/')) return std::string(path.substr(0, path.size() - 1));
  return std::string(path) + '/';
}

// The Location of a redirect, from a request's path and query, both as they came. Found::redirect is never told for a
// path that begins with "//", so this is never the name of another host (RFC 3986 section 4.2).
inline std::string slash_redirect_location(std::string_view path, std::string_view query) {
  std::string location = with_slash_toggled(path);
  if (!query.empty()) location.append("?").append(query);
  return location;
}

}  // namespace volt::http::route
