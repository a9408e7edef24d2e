// SPDX-License-Identifier: MIT

// Conversion from hexadecimal, in which test vectors are published.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/check.h"

namespace volt::crypto {

inline std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

// Converts hexadecimal text to bytes; spaces are skipped.
inline std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  unsigned value = 1;
  for (const char c : text) {
    if (c == ' ') continue;
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    VOLT_CHECK(digit != std::string_view::npos);
    value = value << 4 | static_cast<unsigned>(digit);
    if (value < 0x100) continue;
    bytes.push_back(static_cast<std::byte>(value));
    value = 1;
  }
  VOLT_CHECK(value == 1);
  return bytes;
}

}  // namespace volt::crypto
