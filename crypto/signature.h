// SPDX-License-Identifier: MIT

// Verification of signatures with public keys. crypto/private_key.h signs.
//
// Threads: a PublicKey is an immutable value; several threads may verify with it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace volt::crypto {

// Names, digests and encodings are those of RFC 7518 section 3.1 and RFC 8037 section 3.1. An ECDSA signature is r
// followed by s, each as long as the order of the curve (RFC 7518 section 3.4); ASN.1 signatures are not accepted.
enum class SignatureAlgorithm : std::uint8_t { rs256, rs384, rs512, ps256, es256, es384, es512, ed25519 };

enum class KeyError : std::uint8_t {
  malformed,    // not a PEM "PUBLIC KEY" (SubjectPublicKeyInfo, RFC 7468 section 13), not an unencrypted PEM
                // "PRIVATE KEY" (RFC 7468 section 10), or not a point of its curve
  unsupported,  // a type of key, or a curve, that is not in KeyKind
  too_short,    // RSA key of fewer than 2048 bits (RFC 7518 section 3.3)
};

enum class KeyKind : std::uint8_t { rsa, p256, p384, p521, ed25519 };

// The numbers of a public key, big-endian. RSA: the modulus and the exponent, without leading zeros. Curves: the
// coordinates x and y, each as long as the order of the curve. Ed25519: the 32 bytes of the key, and nothing.
struct PublicNumbers {
  std::vector<std::byte> first, second;
};

class PublicKey {
 public:
  static std::expected<PublicKey, KeyError> from_pem(std::string_view pem);
  static std::expected<PublicKey, KeyError> from_numbers(KeyKind kind, const PublicNumbers& numbers);

  PublicNumbers numbers() const;

  KeyKind kind() const noexcept { return kind_; }

  // Returns true if `signature` is valid for `data`. Returns false for any data if `algorithm` does not belong to this
  // kind of key, so that the header of a message cannot choose an algorithm for the key.
  bool verify(SignatureAlgorithm algorithm, std::span<const std::byte> data,
              std::span<const std::byte> signature) const;

 private:
  struct Handle;  // holds libcrypto's key

  static std::expected<PublicKey, KeyError> adopt(std::shared_ptr<const Handle> handle);
  PublicKey(KeyKind kind, std::shared_ptr<const Handle> handle) noexcept : kind_(kind), handle_(std::move(handle)) {}

  KeyKind kind_;
  std::shared_ptr<const Handle> handle_;
};

// Returns the only kind of key that `algorithm` may be used with.
KeyKind key_kind(SignatureAlgorithm algorithm) noexcept;

}  // namespace volt::crypto
