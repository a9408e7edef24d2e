// SPDX-License-Identifier: MIT

// Protection against DNS rebinding: a web page can make its own name resolve to this server's address, and then read
// responses as if they were its own site's. The request's Host still has the page's name, so unknown names are refused.
//
// Threads: a pure function, and a factory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/web/middleware.h"

namespace volt::http::ops {

// Returns whether `host`, the value of the Host field, is an IP address, localhost or one of `names`; a port is
// ignored. Addresses are trusted because they cannot be rebound. An empty host is trusted too: HTTP/1.0 allows a
// request without Host, but browsers always send the field.
[[nodiscard]] bool trusted_host(std::string_view host, const std::vector<std::string>& names) noexcept;

// Responds 421 to a request whose host is not trusted (RFC 9110 section 15.5.20), and 403 to one that a page of another
// site sends in the background, for example to begin a recording; links to this server work.
[[nodiscard]] Middleware require_trusted_host(std::vector<std::string> names);

}  // namespace volt::http::ops
