// SPDX-License-Identifier: MIT

// Formats of text, with the names that JSON Schema has for them.
//
//   email      an address as HTML's <input type=email> takes it: no quotes, no comments, ASCII
//   uuid       32 hexadecimal digits in groups of 8-4-4-4-12 (RFC 9562)
//   uri        an absolute URI with a scheme (RFC 3986): only its characters and escapes, and its host is not looked up
//   date       a day of the calendar, "2026-02-28" (RFC 3339, full-date)
//   date_time  a date and a time with its offset, "2026-02-28T12:00:00Z" (RFC 3339); a leap second is valid
//
// Threads: pure functions. They take time in proportion to the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace volt {

enum class TextFormat : std::uint8_t { email, uuid, uri, date, date_time };

[[nodiscard]] bool has_format(std::string_view text, TextFormat format) noexcept;
// "must be an email address"
[[nodiscard]] std::string format_sentence(TextFormat format);
// "format":"email"
[[nodiscard]] std::string format_schema(TextFormat format);

}  // namespace volt
