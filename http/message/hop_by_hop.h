// Which fields are of one connection, and which go to the end of the way (RFC 9110 section 7.6.1).
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/message/headers.h"

namespace volt::http::message {

// Of the connection or of the message's framing, whatever Connection says.
[[nodiscard]] bool is_connection_field(std::string_view name) noexcept;

// Whether a proxy passes on the field of that name, which is one of `fields`.
[[nodiscard]] inline bool is_end_to_end(const Fields& fields, std::string_view name) noexcept {
  return !is_connection_field(name) && !fields.lists("connection", name);
}

}  // namespace volt::http::message
