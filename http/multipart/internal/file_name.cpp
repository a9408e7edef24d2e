// SPDX-License-Identifier: MIT

#include "http/multipart/internal/file_name.h"

#include <cstdint>

namespace volt::http::multipart {
namespace {

constexpr std::uint8_t byte_of(char c) noexcept { return static_cast<std::uint8_t>(c); }

// Removes the control characters from UTF-8 text: C0 and DEL, which are single bytes, and C1, which is the byte C2
// followed by a byte from 80 to 9F. The C2 is looked up in the result, not in `text`, because the removal of a control
// character between the two bytes may have joined them.
std::string without_controls(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : text) {
    const bool ends_c1 = kept.ends_with('\xc2') && byte_of(c) >= 0x80 && byte_of(c) < 0xa0;
    if (ends_c1) kept.pop_back();
    if (!ends_c1 && byte_of(c) >= 0x20 && byte_of(c) != 0x7f) kept += c;
  }
  return kept;
}

// Returns whether `c` is 10xxxxxx, a continuation byte of UTF-8 (RFC 3629 section 3).
constexpr bool continues_character(char c) noexcept { return (byte_of(c) & 0xc0) == 0x80; }

void cut(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  std::size_t end = bytes_max;
  while (end > 0 && continues_character(text[end])) --end;
  text.resize(end);
}

}  // namespace

std::string safe_file_name(std::string_view untrusted, std::size_t bytes_max) {
  std::string name = without_controls(untrusted.substr(untrusted.find_last_of("/\\") + 1));
  name.erase(0, name.find_first_not_of(". "));
  cut(name, bytes_max);
  return name.empty() ? "file" : name;
}

}  // namespace volt::http::multipart
