// SPDX-License-Identifier: MIT

// MethodSet: the set of methods of a resource, and its form in the Allow field (RFC 9110 section 10.2.1).
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <string>

#include "http/message/method.h"

namespace volt::http::route {

class MethodSet {
 public:
  constexpr void insert(Method method) noexcept { bits_ |= bit(method); }
  constexpr void insert(MethodSet other) noexcept { bits_ |= other.bits_; }
  constexpr void erase(Method method) noexcept { bits_ &= ~bit(method); }
  [[nodiscard]] constexpr bool contains(Method method) const noexcept { return (bits_ & bit(method)) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr bool operator==(const MethodSet&) const noexcept = default;

 private:
  static_assert(kMethodNames.size() <= 64);
  static constexpr std::uint64_t bit(Method method) noexcept { return 1ULL << static_cast<unsigned>(method); }

  std::uint64_t bits_ = 0;
};

// Returns "GET, HEAD, OPTIONS", in the order of the enumerators; empty for no methods.
inline std::string to_allow_field(MethodSet methods) {
  std::string field;
  for (std::size_t i = 0; i < kMethodNames.size(); ++i) {
    if (!methods.contains(static_cast<Method>(i))) continue;
    if (!field.empty()) field += ", ";
    field += kMethodNames[i];
  }
  return field;
}

}  // namespace volt::http::route
