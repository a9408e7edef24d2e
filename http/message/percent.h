// SPDX-License-Identifier: MIT

// Percent-encoding, RFC 3986 section 2.1, and its form variant, in which '+' is a space (WHATWG URL, section 5.1).
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/message/ascii.h"

namespace volt::http::message {

// The unreserved characters of RFC 3986 section 2.3. Escaping such a character does not change its meaning.
inline constexpr ByteSet kUnreservedChars([](char c) { return is_alpha(c) || is_digit(c) || contains("-._~", c); });

// Returns the value of a hexadecimal digit.
constexpr std::uint8_t hex_value(char digit) noexcept {
  return static_cast<std::uint8_t>(is_digit(digit) ? digit - '0' : to_lower(digit) - 'a' + 10);
}

constexpr bool starts_with_escape(std::string_view text) noexcept {
  return text.size() >= 3 && text[0] == '%' && is_hex(text[1]) && is_hex(text[2]);
}

// Removes one byte or one escape (%XX) from the front of `text`, which must not be empty, and returns the decoded byte.
// If an escape is malformed, removes and returns the '%' alone.
constexpr char take_percent_decoded(std::string_view& text) noexcept {
  const bool escaped = starts_with_escape(text);
  const char byte = escaped ? static_cast<char>(hex_value(text[1]) << 4 | hex_value(text[2])) : text[0];
  text.remove_prefix(escaped ? 3 : 1);
  return byte;
}

// Returns `text` percent-decoded. Malformed escapes stay unchanged.
std::string percent_decode(std::string_view text);

// Decodes a name or a value of application/x-www-form-urlencoded: '+' becomes a space, malformed escapes stay
// unchanged.
std::string form_decode(std::string_view text);

// Appends `text` to `out` and escapes all characters except the unreserved ones. The result is safe as a path segment,
// and as a name or a value in a query.
void append_percent_encoded(std::string_view text, std::string& out);

std::string percent_encode(std::string_view text);

}  // namespace volt::http::message
