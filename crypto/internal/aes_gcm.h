// AES-256-GCM (NIST SP 800-38D) with a nonce that the caller answers for: one used twice under a key gives the key's
// secrets away. Private for that reason; crypto/aead.h draws its own.
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

// `sealed` is ciphertext and tag. Nothing if the tag is not theirs.
std::optional<std::vector<std::byte>> gcm_open(const SecretKey& key, const GcmNonce& nonce,
                                               std::span<const std::byte> sealed,
                                               std::span<const std::byte> associated);

// AES-256 of one block.
std::array<std::byte, 16> aes_block(const SecretKey& key, const std::array<std::byte, 16>& block);

}  // namespace volt::crypto::internal
