// SPDX-License-Identifier: MIT

// Checks which pages may connect. This protects against a page of another site that connects with its visitor's cookies
// (RFC 6455 section 10.2).
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace volt::http::websocket {

// Whether `origin` is in `allowed` (WebSocketOptions::origins) or, if `allowed` is empty, names `host`, the host of the
// request. The origin's scheme may be http or https, since a proxy may terminate TLS in front of this server. The
// default port of the scheme may be omitted on either side.
bool origin_allowed(std::string_view origin, std::string_view host, std::span<const std::string> allowed) noexcept;

}  // namespace volt::http::websocket
