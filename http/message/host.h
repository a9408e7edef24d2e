// SPDX-License-Identifier: MIT

// uri-host [ ":" port ], the grammar of the Host field (RFC 9110 section 7.2) and of an authority without userinfo.
//
// Threads: pure functions.
#pragma once

#include <string_view>

namespace volt::http::message {

// Returns whether `host` is valid. Stricter than RFC 3986 where two recipients could read different hosts. Refused are
// an empty name, a comma, userinfo, percent escapes, and a port above 65535; an empty port is accepted (`host:`). A
// name whose last label is a number must be an IPv4 address in its usual form.
bool valid_host(std::string_view host) noexcept;

// Returns whether `host` is valid by the rules of valid_host() and has a port: the target of CONNECT (RFC 9112 section
// 3.2.3).
bool valid_host_with_port(std::string_view host) noexcept;

}  // namespace volt::http::message
