// SPDX-License-Identifier: MIT

// FixedString: a text as a template argument, such as the name in Header<"user-agent">.
//
// Threads: constants.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace volt::http {

template <std::size_t size>
struct FixedString {
  consteval FixedString(const char (&text)[size]) { std::copy_n(text, size, data); }  // NOLINT: implicit by design
  constexpr std::string_view view() const noexcept { return {data, size - 1}; }
  char data[size]{};
};

}  // namespace volt::http
