// SPDX-License-Identifier: MIT

// PrivateKey: signs with a private key.
//
//   const PrivateKey key = PrivateKey::generate(KeyKind::ed25519);
//   const std::vector<std::byte> signature = key.sign(SignatureAlgorithm::ed25519, data);
//   key.public_key().verify(SignatureAlgorithm::ed25519, data, signature);      // true
//
// Threads: an immutable value; several threads may sign with it at once. Signing computes for up to a few milliseconds
// with a large RSA key.
// Memory: libcrypto overwrites the key when the last copy is destroyed.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "crypto/signature.h"

namespace volt::crypto {

class PrivateKey {
 public:
  // Reads an unencrypted PEM "PRIVATE KEY", or a traditional one ("RSA PRIVATE KEY", "EC PRIVATE KEY").
  static std::expected<PrivateKey, KeyError> from_pem(std::string_view pem);
  // Makes a new key; RSA keys have 2048 bits, and take long to make.
  static PrivateKey generate(KeyKind kind);

  KeyKind kind() const noexcept { return kind_; }
  PublicKey public_key() const;

  // Returns the signature in the form that PublicKey::verify expects. Throws std::invalid_argument if `algorithm` does
  // not belong to this kind of key.
  std::vector<std::byte> sign(SignatureAlgorithm algorithm, std::span<const std::byte> data) const;

 private:
  struct Handle;  // holds libcrypto's key

  PrivateKey(KeyKind kind, std::shared_ptr<const Handle> handle) noexcept : kind_(kind), handle_(std::move(handle)) {}

  KeyKind kind_;
  std::shared_ptr<const Handle> handle_;
};

}  // namespace volt::crypto
