// SPDX-License-Identifier: MIT

// argon2id: the function of RFC 9106, by libargon2.
//
// Threads: a pure function. Errors: std::invalid_argument, std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace volt::crypto::internal {

struct Argon2Input {
  std::span<const std::byte> password = {};
  std::span<const std::byte> salt = {};        // at least 8 bytes
  std::span<const std::byte> secret = {};      // the pepper
  std::span<const std::byte> associated = {};  // associated data
  std::uint32_t memory_kib = 0;
  std::uint32_t passes = 0;
  std::uint32_t lanes = 0;
};

// Fills `tag`, of at least 4 bytes.
void argon2id(const Argon2Input& input, std::span<std::byte> tag);

}  // namespace volt::crypto::internal
