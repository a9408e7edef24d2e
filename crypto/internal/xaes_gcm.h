// SPDX-License-Identifier: MIT

// XAES-256-GCM (C2SP, xaes-256-gcm.md): AES-256-GCM with a nonce of 192 bits. The first half of the nonce selects the
// key of the message by CMAC in counter mode (NIST SP 800-108); the second half is the nonce for that key.
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

using XaesNonce = std::array<std::byte, 24>;

// Appends the ciphertext and its tag to `out`.
void xaes_seal(const SecretKey& key, const XaesNonce& nonce, std::span<const std::byte> plaintext,
               std::span<const std::byte> associated, std::vector<std::byte>& out);

// Opens `sealed`, a ciphertext followed by its tag; returns nullopt if the tag does not match.
std::optional<std::vector<std::byte>> xaes_open(const SecretKey& key, const XaesNonce& nonce,
                                                std::span<const std::byte> sealed,
                                                std::span<const std::byte> associated);

}  // namespace volt::crypto::internal
