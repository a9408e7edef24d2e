// SPDX-License-Identifier: MIT

// The Retry-After field (RFC 9110 section 10.2.3).
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <string_view>

namespace volt::http::message {

// Returns the time from `now` that the field names, at most a day; 0 for a time that has passed and for a value that is
// neither a number of seconds nor a date.
[[nodiscard]] std::chrono::nanoseconds parse_retry_after(std::string_view field, std::chrono::sys_seconds now) noexcept;

}  // namespace volt::http::message
