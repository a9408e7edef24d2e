// SPDX-License-Identifier: MIT

#include "http/multipart/internal/file_name.h"

#include <cstdint>

#include "http/message/utf8_sequence.h"

namespace volt::http::multipart {
namespace {

constexpr char kReplacement = '_';

constexpr std::uint8_t byte_of(char c) noexcept { return static_cast<std::uint8_t>(c); }

// Returns the code point of a character in valid UTF-8.
char32_t code_point(std::string_view character) noexcept {
  if (character.size() == 1) return byte_of(character[0]);
  char32_t code = byte_of(character[0]) & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (byte_of(c) & 0x3fU);
  return code;
}

// Returns whether the character is invisible or changes how others are shown: C0, DEL and C1; the marks, embeddings,
// overrides and isolates of bidirectional text, with which "cod.exe" is shown as "exe.doc"; line and paragraph
// separators; and the byte order mark.
bool is_hidden(char32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

// Removes the hidden characters. Replaces bytes that are not UTF-8, which some programs cannot show or delete, and the
// semicolon, which ends a command of a shell and a parameter of Content-Disposition.
std::string shown_characters(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    const auto [size, valid] = message::utf8_sequence(text);
    const std::string_view character = text.substr(0, size);
    text.remove_prefix(size);
    if (!valid || character == ";") {
      kept += kReplacement;
    } else if (!is_hidden(code_point(character))) {
      kept += character;
    }
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
  std::string name = shown_characters(untrusted.substr(untrusted.find_last_of("/\\") + 1));
  name.erase(0, name.find_first_not_of(". -"));
  cut(name, bytes_max);
  return name.empty() ? "file" : name;
}

}  // namespace volt::http::multipart
