// SPDX-License-Identifier: MIT

// Request methods: those of RFC 9110 section 9.3, PATCH, and the rest of the IANA registry. All registered methods are
// known because they cause another response than unknown ones: 405 if a resource does not offer the method, 501 if the
// method is unknown (RFC 9110 sections 15.5.6 and 15.6.2).
//
// Threads: pure functions and constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace volt::http {

enum class Method : std::uint8_t {
  get,
  head,
  post,
  put,
  del,  // DELETE; `delete` is a C++ keyword
  connect,
  options,
  trace,
  patch,
  // The rest of the registry: QUERY, and the methods of WebDAV and its extensions (RFC 2068, 3253, 3648, 3744, 4437,
  // 4791, 4918, 5323, 5842).
  query,
  acl,
  baseline_control,
  bind,
  checkin,
  checkout,
  copy,
  label,
  link,
  lock,
  merge,
  mkactivity,
  mkcalendar,
  mkcol,
  mkredirectref,
  mkworkspace,
  move,
  orderpatch,
  propfind,
  proppatch,
  rebind,
  report,
  search,
  unbind,
  uncheckout,
  unlink,
  unlock,
  update,
  updateredirectref,
  version_control,
};

inline constexpr std::array<std::string_view, 39> kMethodNames = {  // in the order of the enumerators
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "CONNECT",
    "OPTIONS",
    "TRACE",
    "PATCH",
    "QUERY",
    "ACL",
    "BASELINE-CONTROL",
    "BIND",
    "CHECKIN",
    "CHECKOUT",
    "COPY",
    "LABEL",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MKREDIRECTREF",
    "MKWORKSPACE",
    "MOVE",
    "ORDERPATCH",
    "PROPFIND",
    "PROPPATCH",
    "REBIND",
    "REPORT",
    "SEARCH",
    "UNBIND",
    "UNCHECKOUT",
    "UNLINK",
    "UNLOCK",
    "UPDATE",
    "UPDATEREDIRECTREF",
    "VERSION-CONTROL"};
static_assert(kMethodNames.size() == static_cast<std::size_t>(Method::version_control) + 1);

constexpr std::string_view to_string(Method method) noexcept { return kMethodNames[static_cast<std::size_t>(method)]; }

// Returns the method of that name, or nullopt for an unknown one. Methods are case-sensitive: `get` is not GET (RFC
// 9110 section 9.1).
constexpr std::optional<Method> method_from_token(std::string_view token) noexcept {
  if (token == "GET") return Method::get;  // the most frequent method by far
  for (std::size_t i = 1; i < kMethodNames.size(); ++i) {
    if (kMethodNames[i] == token) return static_cast<Method>(i);
  }
  return std::nullopt;
}

}  // namespace volt::http
