// SPDX-License-Identifier: MIT

// AES-256-GCM (NIST SP 800-38D) with a nonce that the caller chooses. A nonce that is used twice with one key reveals
// the key's secrets; for that reason this header is internal, and crypto/aead.h draws its own nonces.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "crypto/secret_key.h"

namespace volt::crypto::internal {

inline constexpr std::size_t kTagBytes = 16;
using GcmNonce = std::array<std::byte, 12>;

// Appends the ciphertext and its tag to `out`.
void gcm_seal(const SecretKey& key, const GcmNonce& nonce, std::span<const std::byte> plaintext,
              std::span<const std::byte> associated, std::vector<std::byte>& out);

// Opens `sealed`, a ciphertext followed by its tag; returns nullopt if the tag does not match.
std::optional<std::vector<std::byte>> gcm_open(const SecretKey& key, const GcmNonce& nonce,
                                               std::span<const std::byte> sealed,
                                               std::span<const std::byte> associated);

// Encrypts one block with AES-256.
std::array<std::byte, 16> aes_block(const SecretKey& key, const std::array<std::byte, 16>& block);

}  // namespace volt::crypto::internal
