// Signatures of others, checked by their public keys. Nothing here signs.
//
// Threads: a PublicKey is an immutable value; any thread may verify by it, several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace volt::crypto {

// Names, digests and encodings of RFC 7518 section 3.1 and RFC 8037 section 3.1. ECDSA signatures are r and s, each of
// the length of the curve's order, one behind the other (RFC 7518 section 3.4), not ASN.1.
enum class SignatureAlgorithm : std::uint8_t { rs256, rs384, rs512, es256, es384, es512, ed25519 };

enum class KeyError : std::uint8_t {
  malformed,    // no PEM "PUBLIC KEY" (SubjectPublicKeyInfo, RFC 7468 section 13), or no point of its curve
  unsupported,  // a kind of key, or a curve, that is none of KeyKind
  too_short,    // RSA below 2048 bits (RFC 7518 section 3.3)
};

enum class KeyKind : std::uint8_t { rsa, p256, p384, p521, ed25519 };

class PublicKey {
 public:
  static std::expected<PublicKey, KeyError> from_pem(std::string_view pem);

  KeyKind kind() const noexcept { return kind_; }

  // False also if the algorithm is not one of this key's kind: the key decides, not what a message says of itself.
  bool verify(SignatureAlgorithm algorithm, std::span<const std::byte> data,
              std::span<const std::byte> signature) const;

 private:
  struct Handle;  // libcrypto's key

  PublicKey(KeyKind kind, std::shared_ptr<const Handle> handle) noexcept : kind_(kind), handle_(std::move(handle)) {}

  KeyKind kind_;
  std::shared_ptr<const Handle> handle_;
};

// The only kind of key that an algorithm is used with.
KeyKind key_kind(SignatureAlgorithm algorithm) noexcept;

}  // namespace volt::crypto
