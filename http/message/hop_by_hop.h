// SPDX-License-Identifier: MIT

// Distinguishes hop-by-hop fields, which concern one connection, from end-to-end fields, which a proxy forwards (RFC
// 9110 section 7.6.1).
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/message/headers.h"

namespace volt::http::message {

// Returns whether the field called `name` always belongs to the connection or to the message's framing, independently
// of the Connection field.
[[nodiscard]] bool is_connection_field(std::string_view name) noexcept;

// Returns whether a proxy forwards the field called `name`. `fields` are all fields of its message, since the
// Connection field may name more hop-by-hop fields.
[[nodiscard]] inline bool is_end_to_end(const Fields& fields, std::string_view name) noexcept {
  return !is_connection_field(name) && !fields.lists("connection", name);
}

}  // namespace volt::http::message
