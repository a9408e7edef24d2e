// SPDX-License-Identifier: MIT

// Distinguishes fields of one connection (hop-by-hop) from end-to-end fields (RFC 9110 section 7.6.1).
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/message/headers.h"

namespace volt::http::message {

// Returns whether the field called `name` always belongs to the connection or to the message's framing, independently
// of the Connection field.
[[nodiscard]] bool is_connection_field(std::string_view name) noexcept;

// Returns whether a proxy forwards the field called `name`, which is one of `fields`.
[[nodiscard]] inline bool is_end_to_end(const Fields& fields, std::string_view name) noexcept {
  return !is_connection_field(name) && !fields.lists("connection", name);
}

}  // namespace volt::http::message
