// SPDX-License-Identifier: MIT

// Literals for sizes in bytes: `http::body_limit(64_KiB)`, `{.message_bytes_max = 1_MiB}`.
//
//   using namespace volt;             // or volt::literals alone
//
// Errors: a size that std::size_t cannot hold does not compile.
// Source: IEC 80000-13, binary prefixes.
#pragma once

#include <cstddef>
#include <limits>

namespace volt {
inline namespace literals {

consteval std::size_t operator""_KiB(unsigned long long count) {
  if (count > std::numeric_limits<std::size_t>::max() / 1024) throw "more bytes than std::size_t can count";
  return static_cast<std::size_t>(count) * 1024;
}

consteval std::size_t operator""_MiB(unsigned long long count) { return operator""_KiB(operator""_KiB(count)); }

consteval std::size_t operator""_GiB(unsigned long long count) { return operator""_KiB(operator""_MiB(count)); }

}  // namespace literals
}  // namespace volt
