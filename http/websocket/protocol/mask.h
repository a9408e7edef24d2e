// SPDX-License-Identifier: MIT

// Masking, RFC 6455 section 5.3: a client XORs its payload with a key of its choice. Masking again restores the
// payload.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace volt::http::websocket {

using Mask = std::array<std::uint8_t, 4>;

// Masks `bytes` in place. `offset` is the position of the first byte in its frame's payload.
inline void apply_mask(std::span<char> bytes, const Mask& mask, std::uint64_t offset) noexcept {
  std::array<std::uint8_t, 8> pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = mask[(offset + i) % mask.size()];
  std::uint64_t key;
  std::memcpy(&key, pattern.data(), sizeof(key));

  std::size_t at = 0;
  for (std::uint64_t word; bytes.size() - at >= sizeof(word); at += sizeof(word)) {
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    word ^= key;
    std::memcpy(bytes.data() + at, &word, sizeof(word));
  }
  for (; at < bytes.size(); ++at) bytes[at] = static_cast<char>(bytes[at] ^ pattern[at % pattern.size()]);
}

}  // namespace volt::http::websocket
