// SPDX-License-Identifier: MIT

// Authenticated encryption: without the key, a sealed message cannot be read, altered, or used for another purpose.
//
// The algorithm is XAES-256-GCM (C2SP): AES-256-GCM with a key derived for each message from a random nonce of 192
// bits. Rejected: plain AES-256-GCM, whose nonce has only 96 bits, so that random nonces may collide after 2^32
// messages (NIST SP 800-38D section 8.3); a busy site seals that many session cookies in a day, and its key is used for
// months. ChaCha20-Poly1305 has the same bound, and libcrypto lacks XChaCha20.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "crypto/secret_key.h"

namespace volt::crypto {

// Number of bytes by which sealing lengthens a message: the nonce before the ciphertext and the tag after it.
inline constexpr std::size_t kSealBytes = 24 + 16;

// Encrypts and authenticates `plaintext`; returns nonce, ciphertext and tag. `associated` names the message's purpose:
// it is authenticated but not part of the result, and open() must be given the same bytes.
std::vector<std::byte> seal(const SecretKey& key, std::span<const std::byte> plaintext,
                            std::span<const std::byte> associated = {});

// Returns the plaintext; nullopt if `sealed`, `associated` or the key differs in a single bit from those of seal().
std::optional<std::vector<std::byte>> open(const SecretKey& key, std::span<const std::byte> sealed,
                                           std::span<const std::byte> associated = {});

}  // namespace volt::crypto
