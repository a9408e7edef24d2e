// SPDX-License-Identifier: MIT

// Determines the size of the first character of a text, and whether it is valid UTF-8.
//
// Threads: a pure function.
// Source: table 3-7 of the Unicode standard, whose grammar is in RFC 3629 section 4. The allowed range of the second
// byte depends on the first byte. This excludes overlong forms, surrogates, and characters beyond U+10FFFF.
#pragma once

#include <cstddef>
#include <string_view>

namespace volt::http::message {

struct Utf8Sequence {
  std::size_t size;  // bytes of the character, or of the invalid part
  bool valid;
};

// `text` must not be empty.
constexpr Utf8Sequence utf8_sequence(std::string_view text) noexcept {
  const auto in = [](unsigned char byte, unsigned low, unsigned high) { return byte >= low && byte <= high; };
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {1, true};
  const std::size_t size = in(first, 0xc2, 0xdf) ? 2 : in(first, 0xe0, 0xef) ? 3 : in(first, 0xf0, 0xf4) ? 4 : 0;
  if (size == 0) return {1, false};
  unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < size; ++i) {
    if (i == text.size() || !in(static_cast<unsigned char>(text[i]), low, high)) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {size, true};
}

}  // namespace volt::http::message
