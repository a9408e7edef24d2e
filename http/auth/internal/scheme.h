// auth-scheme 1*SP token68 (RFC 9110 section 11.4), the form of Basic's and Bearer's credentials.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace volt::http::auth {

// What follows the scheme in an Authorization value: token68, not empty. Nothing if the scheme, case-blind, is another
// or no token68 follows. A view into `authorization`.
std::optional<std::string_view> credentials_of(std::string_view scheme, std::string_view authorization) noexcept;

}  // namespace volt::http::auth
