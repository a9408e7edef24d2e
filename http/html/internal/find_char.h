// SPDX-License-Identifier: MIT

// Searches that take few steps of constant evaluation, because compilers limit the steps for a template: clang counts
// each statement, and evaluates a built-in function in one.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http/message/ascii.h"

namespace volt::http::html {

// Returns the index of the first `c` in `text` from `begin` on, or the size of the text.
constexpr std::size_t find_char(std::string_view text, char c, std::size_t begin) noexcept {
  const char* const data = text.data();
  const std::size_t size = text.size();
#ifdef __clang__
  const char* const found = __builtin_char_memchr(data + begin, c, size - begin);
  return found == nullptr ? size : static_cast<std::size_t>(found - data);
#else
  while (begin != size && data[begin] != c) ++begin;
  return begin;
#endif
}

// Returns the index of the first two `c` in a row from `begin` on, or the size of the text.
constexpr std::size_t find_pair(std::string_view text, char c, std::size_t begin) noexcept {
  const std::size_t size = text.size();
  while (true) {
    begin = find_char(text, c, begin);
    if (begin == size) return size;
    if (begin + 1 != size && text.data()[begin + 1] == c) return begin;
    ++begin;
  }
}

// A number for a name in lower case (FNV-1a), so that a name is found in a list by one switch.
constexpr std::uint64_t name_hash(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char* c = name.data(); c != name.data() + name.size(); ++c) {
    hash = (hash ^ static_cast<unsigned char>(message::to_lower(*c))) * 0x100000001b3;
  }
  return hash;
}

}  // namespace volt::http::html
