// SPDX-License-Identifier: MIT

// Character classes and comparisons of HTTP. They work byte by byte and do not depend on the locale.
//
// Threads: pure functions and constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace volt::http::message {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr bool is_alpha(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr bool is_hex(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool is_ows(char c) noexcept { return c == ' ' || c == '\t'; }

// A set of bytes; a membership test is one table look-up.
class ByteSet {
 public:
  template <class Predicate>
  explicit constexpr ByteSet(Predicate contains) {
    for (std::size_t byte = 0; byte < in_.size(); ++byte) in_[byte] = contains(static_cast<char>(byte));
  }

  constexpr bool contains(char c) const noexcept { return in_[static_cast<std::uint8_t>(c)]; }

 private:
  std::array<bool, 256> in_{};
};

constexpr bool contains(std::string_view set, char c) noexcept {
  for (const char member : set) {
    if (member == c) return true;
  }
  return false;
}

// The bytes of a token (tchar, RFC 9110 section 5.6.2).
inline constexpr ByteSet kTokenChars([](char c) {
  return is_digit(c) || is_alpha(c) || contains("!#$%&'*+-.^_`|~", c);
});

// The bytes of a field value (RFC 9110 section 5.5): visible ASCII, SP, HTAB, and obs-text as opaque bytes.
inline constexpr ByteSet kFieldValueChars([](char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
});

// Returns whether `text` is a token: at least one byte, and only bytes of kTokenChars.
constexpr bool is_token(std::string_view text) noexcept {
  for (const char c : text) {
    if (!kTokenChars.contains(c)) return false;
  }
  return !text.empty();
}

constexpr bool is_field_value(std::string_view text) noexcept {
  for (const char c : text) {
    if (!kFieldValueChars.contains(c)) return false;
  }
  return true;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int difference = a[i] ^ b[i];
    if (difference == 0) continue;
    if (difference != 0x20 || !is_alpha(a[i])) return false;  // the two cases of a letter differ in this bit only
  }
  return true;
}

// Returns `text` without the optional white space around it, as a view into `text`.
constexpr std::string_view trim_ows(std::string_view text) noexcept {
  while (!text.empty() && is_ows(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ows(text.back())) text.remove_suffix(1);
  return text;
}

// Removes the first element of a comma list (RFC 9110 section 5.6.1) from the front of `list` and returns it, trimmed;
// it may be empty. The result and `list` remain views into the original text. Not for lists whose elements may be
// quoted strings, because a comma inside quotes separates elements here too.
constexpr std::string_view take_list_element(std::string_view& list) noexcept {
  const std::size_t comma = list.find(',');
  const std::string_view element = trim_ows(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return element;
}

}  // namespace volt::http::message
