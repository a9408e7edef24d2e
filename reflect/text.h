// SPDX-License-Identifier: MIT

// Text at compile time, parsed from the compiler's spelling of template arguments.
//
// Threads: constants.
#pragma once

#include <cstddef>
#include <string_view>

namespace volt::reflect {

// A constant string of N characters. Names are copied into it from the function signatures in which they are found, so
// that the program contains only the names and not the whole signatures.
template <std::size_t N>
struct Text {
  char chars[N + 1] = {};  // ends with NUL

  static constexpr Text copy(std::string_view from) noexcept {
    Text text;
    for (std::size_t i = 0; i < N; ++i) text.chars[i] = from[i];
    return text;
  }

  constexpr std::string_view view() const noexcept { return {chars, N}; }
};

constexpr bool is_identifier_char(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

// Returns the last identifier or number of a signature: clang ends `[P = Pointer<int>{&external.value.price}]`, g++
// `[with auto P = Pointer<int>{(& external<Item>.External<Item>::value.Item::price)}]`. g++ also spells out aliases at
// the very end, so the functions whose signature is parsed return a `const char*`, not a string_view.
constexpr std::string_view last_word(std::string_view signature) noexcept {
  while (!signature.empty() && !is_identifier_char(signature.back())) signature.remove_suffix(1);
  std::size_t begin = signature.size();
  while (begin > 0 && is_identifier_char(signature[begin - 1])) --begin;
  return signature.substr(begin);
}

}  // namespace volt::reflect
