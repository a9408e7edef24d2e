// SPDX-License-Identifier: MIT

// Responses that redirect the client (RFC 9110 section 15.4).
//
//   return http::redirect("/items/7");                         // 303: the client sends GET /items/7, as after a form
//   return http::permanent_redirect("https://example.com/");   // 308: permanent, and the method stays the same
//
// A location from the request, such as `?next=`, may lead to a malicious site that imitates this one: redirect only if
// is_local_path() accepts the location.
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/message/status.h"
#include "http/web/response.h"

namespace volt::http {

// `location` is a percent-encoded URI reference: a path or an absolute URI. Throws std::invalid_argument if `location`
// is empty or contains anything but visible ASCII (CR and LF above all), and for a status other than 301, 302, 303, 307
// and 308.
[[nodiscard]] Response redirect(std::string_view location, Status status = Status::see_other);

// A redirect with status 308. Clients may cache it without a time limit.
[[nodiscard]] Response permanent_redirect(std::string_view location);

// Whether `location` leads to this server: it begins with exactly one slash, and contains only visible ASCII and no
// backslash. The reasons: `//host` would name another host, and browsers treat a backslash as a slash and skip tabs and
// line ends.
[[nodiscard]] bool is_local_path(std::string_view location) noexcept;

}  // namespace volt::http
