// SPDX-License-Identifier: MIT

// auth-scheme 1*SP token68 (RFC 9110 section 11.4): the form of Basic and Bearer credentials.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace volt::http::auth {

// Returns the token68 after the scheme in an Authorization value, as a view into `authorization`. Returns nullopt if
// the value's scheme is not `scheme` (case-insensitive) or if no token68 follows.
std::optional<std::string_view> credentials_of(std::string_view scheme, std::string_view authorization) noexcept;

}  // namespace volt::http::auth
