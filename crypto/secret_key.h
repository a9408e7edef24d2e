// A key of 256 bits, and how one secret becomes many of them.
//
// Threads: pure functions; a key is a value.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace volt::crypto {

using SecretKey = std::array<std::byte, 32>;

SecretKey random_key();

// HKDF with SHA-256 (RFC 5869), its first 32 bytes. `label` is what the key is for ("volt session cookie"): the keys of
// two labels have nothing in common. `secret` is as hard to guess as a key is: 32 random bytes, say. A password is not,
// and no derivation this quick makes it so.
SecretKey derive_key(std::span<const std::byte> secret, std::string_view label, std::span<const std::byte> salt = {});

}  // namespace volt::crypto
