// Answers that send the client elsewhere (RFC 9110 section 15.4).
//
//   return http::redirect("/items/7");                         // 303: fetch that with GET; after a form, say
//   return http::permanent_redirect("https://example.com/");   // 308: ask there from now on, by the same method
//
// A location that comes from the request, such as `?next=`, may lead to a stranger's site that looks like ours: let
// nothing through but what is_local_path() says yes to.
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/message/status.h"
#include "http/web/response.h"

namespace volt::http {

// `location` is a URI reference: a path, or a whole URI, percent-encoded. Throws std::invalid_argument if it is empty
// or holds other than visible ASCII, CR and LF above all, and for a status that is none of 301, 302, 303, 307 and 308.
[[nodiscard]] Response redirect(std::string_view location, Status status = Status::see_other);

// 308. Clients keep it, perhaps for ever.
[[nodiscard]] Response permanent_redirect(std::string_view location);

// Whether a client that follows `location` stays with us: it begins with one slash. `//host` names a host, and browsers
// read a backslash as a slash and skip tabs and line ends, so none of these may be in it.
[[nodiscard]] bool is_local_path(std::string_view location) noexcept;

}  // namespace volt::http
