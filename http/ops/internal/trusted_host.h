// A web page may let its own name point at an address of ours and then read us as if we were its server (DNS rebinding).
// The request's Host has its name still, so names are refused that we do not go by.
//
// Threads: a pure function, and a factory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/web/middleware.h"

namespace volt::http::ops {

// `host` as the field has it, with or without port. Addresses are no names: they cannot be rebound. Nor can no host at
// all, as HTTP/1.0 may have it: browsers send one.
[[nodiscard]] bool trusted_host(std::string_view host, const std::vector<std::string>& names) noexcept;

// Everybody else gets a 421 (RFC 9110 section 15.5.20).
[[nodiscard]] Middleware require_trusted_host(std::vector<std::string> names);

}  // namespace volt::http::ops
