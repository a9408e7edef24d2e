// SPDX-License-Identifier: MIT

#include "http/files/content_disposition.h"

#include <cstdint>

#include "http/message/ascii.h"

namespace volt::http::files {
namespace {

// The bytes of attr-char, RFC 8187 section 3.2.1.
constexpr message::ByteSet kAttributeChars([](char c) {
  return message::is_alpha(c) || message::is_digit(c) || message::contains("!#$&+-.^_`|~", c);
});

// The bytes of a quoted string that all recipients read alike. The quote and the characters of both kinds of escapes,
// the backslash and '%', are excluded (RFC 6266 appendix D).
constexpr message::ByteSet kPlainChars([](char c) { return c >= ' ' && c < 0x7f && !message::contains("\"\\%", c); });

void append_encoded(std::string_view text, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    if (kAttributeChars.contains(c)) {
      out += c;
    } else {
      const auto byte = static_cast<std::uint8_t>(c);
      out.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
}

// Appends `text`. An underscore replaces each character that kPlainChars does not contain; a character of several bytes
// becomes one underscore.
void append_plain(std::string_view text, std::string& out) {
  for (const char c : text) {
    const bool continues = (static_cast<std::uint8_t>(c) & 0xc0) == 0x80;  // a continuation byte of UTF-8
    if (!continues) out += kPlainChars.contains(c) ? c : '_';
  }
}

}  // namespace

std::string attachment(std::string_view name) {
  name = name.substr(name.find_last_of("/\\") + 1);
  std::string value("attachment");
  if (name.empty()) return value;
  value += "; filename=\"";
  const std::size_t begin = value.size();
  append_plain(name, value);
  const bool plain = std::string_view(value).substr(begin) == name;
  value += '"';
  if (plain) return value;
  value += "; filename*=UTF-8''";
  append_encoded(name, value);
  return value;
}

}  // namespace volt::http::files
