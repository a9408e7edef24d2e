// SPDX-License-Identifier: MIT

// Reads the Expires attribute of a cookie as browsers do, who accept more than the forms of http_date.h: parts in any
// order, separated by most punctuation (RFC 6265 section 5.1.1).
//
// Threads: a pure function.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace volt::http::testing {

[[nodiscard]] std::optional<std::chrono::sys_seconds> parse_cookie_date(std::string_view text) noexcept;

}  // namespace volt::http::testing
