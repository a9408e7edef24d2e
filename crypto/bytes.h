// Text seen as bytes and bytes seen as text: most of what is hashed and signed is one, and crypto speaks of the other.
//
// Threads: pure functions. Lifetime: views of what they were given.
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
