// Authenticated encryption: what was sealed cannot be read, altered, or passed off as something else, without the key.
//
// XAES-256-GCM (C2SP), which is AES-256-GCM under a key of each message's own, derived from a random nonce of 192 bits.
// Plain AES-256-GCM has room for 96 bits, so that random nonces may collide after 2^32 messages (NIST SP 800-38D
// section 8.3): a busy site seals as many session cookies in a day, under a key that lives for months. ChaCha20 with
// Poly1305 has the same bound, and libcrypto lacks XChaCha20.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "crypto/secret_key.h"

namespace volt::crypto {

// How much longer a message becomes: the nonce before, the tag behind its ciphertext.
inline constexpr std::size_t kSealBytes = 24 + 16;

// Nonce, ciphertext, tag. `associated` is not in the result; open() must be given the same: what the message is for.
std::vector<std::byte> seal(const SecretKey& key, std::span<const std::byte> plaintext,
                            std::span<const std::byte> associated = {});

// The plaintext; nothing if one bit of `sealed` or `associated` differs, or the key does.
std::optional<std::vector<std::byte>> open(const SecretKey& key, std::span<const std::byte> sealed,
                                           std::span<const std::byte> associated = {});

}  // namespace volt::crypto
