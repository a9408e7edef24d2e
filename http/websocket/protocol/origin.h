// Which pages may connect: the defence against a foreign page that uses its visitor's cookies, RFC 6455 section 10.2.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace volt::http::websocket {

// Whether `origin` is in the list (WebSocketOptions::origins), or, if the list is empty, names `host` (the request's):
// the scheme may be either, since who ends TLS in front of us knows it and we do not; a port that is the scheme's may
// be left out on either side.
bool origin_allowed(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept;

}  // namespace volt::http::websocket
