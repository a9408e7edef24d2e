// SPDX-License-Identifier: MIT

// Secret keys of 256 bits, and the derivation of many keys from one secret.
//
// Threads: pure functions; a key is a value.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "crypto/secret_bytes.h"

namespace volt::crypto {

// A key overwrites its bytes when it is destroyed.
class SecretKey : public std::array<std::byte, 32> {
 public:
  SecretKey() = default;
  explicit SecretKey(const std::array<std::byte, 32>& bytes) : std::array<std::byte, 32>(bytes) {}
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey() { wipe(*this); }
};

SecretKey random_key();

// Derives a key: the first 32 bytes of HKDF with SHA-256 (RFC 5869). `label` names the key's purpose ("volt session
// cookie"); keys of different labels are independent. `secret` must be as hard to guess as a key, for example 32 random
// bytes. Do not derive a key from a password: passwords are easier to guess, and a derivation as fast as this one does
// not slow down an attacker who guesses them.
SecretKey derive_key(std::span<const std::byte> secret, std::string_view label, std::span<const std::byte> salt = {});

}  // namespace volt::crypto
