// SPDX-License-Identifier: MIT

// Views text as bytes and bytes as text: the crypto functions take bytes, but most data that is hashed and signed is
// text.
//
// Threads: pure functions. Lifetime: the results are views of the arguments.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace volt::crypto {

inline std::span<const std::byte> as_bytes(std::string_view text) noexcept { return std::as_bytes(std::span(text)); }

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace volt::crypto
