// SPDX-License-Identifier: MIT

// Finds the first byte of a text that is not ASCII or that JSON strings treat specially, eight bytes at a time.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace volt::http::json {

constexpr bool is_special(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || c == '"' || c == '\\' || byte >= 0x80;
}

// Returns a value other than 0 if one of the eight bytes is special. A zero byte of a word x is found by `(x - 0x01...)
// & ~x`: the subtraction sets the top bit of a zero byte, and `& ~x` ignores bytes whose top bit was set before. The
// borrow may also set the top bit of the next byte. This does no harm, because the byte that causes the borrow is
// special itself.
inline std::uint64_t special_bytes(std::uint64_t word) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t tops = 0x8080808080808080;
  const std::uint64_t quote = word ^ (ones * '"');
  const std::uint64_t backslash = word ^ (ones * '\\');
  const std::uint64_t control = (word - ones * 0x20) & ~word;
  return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | control | word) & tops;
}

// Returns the first special byte of [at, end), or `end`.
inline const char* skip_clean(const char* at, const char* end) noexcept {
  for (; end - at >= 8; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    if (special_bytes(word) != 0) break;
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

}  // namespace volt::http::json
