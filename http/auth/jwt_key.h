// SPDX-License-Identifier: MIT

// JwtKey: a key that verifies JSON Web Tokens, together with its one algorithm (RFC 8725 section 3.1). JwtSigningKey: a
// key that signs them (http/auth/jwt_signer.h).
//
// Threads: immutable values; several threads may verify with one key at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "crypto/private_key.h"
#include "crypto/secret_bytes.h"
#include "crypto/signature.h"

namespace volt::http::auth {

// Algorithms of RFC 7518 section 3.1 and RFC 8037 section 3.1; "none" cannot be expressed.
enum class JwtAlgorithm : std::uint8_t { hs256, hs384, hs512, rs256, rs384, rs512, ps256, es256, es384, es512, eddsa };

// Returns the algorithm's name in a token's header, such as "HS256".
std::string_view algorithm_name(JwtAlgorithm algorithm) noexcept;
// Returns the algorithm of that name; nullopt for "none" and for algorithms that are not supported.
std::optional<JwtAlgorithm> find_algorithm(std::string_view name) noexcept;
// Returns the signature scheme of an algorithm; nullopt for the algorithms that use a shared secret.
std::optional<crypto::SignatureAlgorithm> signature_algorithm(JwtAlgorithm algorithm) noexcept;

enum class JwtKeyError : std::uint8_t {
  malformed,        // Not a PEM public key (JwtKey) or private key (JwtSigningKey).
  unsupported,      // A kind of key or a curve that no algorithm uses.
  too_short,        // A secret shorter than its digest (RFC 7518 section 3.2), or an RSA key below 2048 bits.
  wrong_algorithm,  // The algorithm does not fit this kind of key.
};

class JwtKey {
 public:
  // Makes a key for HS256, HS384 or HS512. `id` is the `kid` of the tokens that the key verifies; an empty `id` fits
  // any token.
  static std::expected<JwtKey, JwtKeyError> from_secret(JwtAlgorithm algorithm, std::span<const std::byte> secret,
                                                        std::string id = {});
  // Makes a key for any other algorithm from a PEM "PUBLIC KEY".
  static std::expected<JwtKey, JwtKeyError> from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id = {});
  static std::expected<JwtKey, JwtKeyError> from_public_key(JwtAlgorithm algorithm, crypto::PublicKey key,
                                                            std::string id = {});

  JwtAlgorithm algorithm() const noexcept { return algorithm_; }
  std::string_view id() const noexcept { return id_; }
  // Returns the public key; null for a secret. Valid as long as this object.
  const crypto::PublicKey* public_key() const noexcept { return std::get_if<crypto::PublicKey>(&key_); }

  bool verify(std::span<const std::byte> data, std::span<const std::byte> signature) const;

 private:
  JwtKey(JwtAlgorithm algorithm, std::string id, std::variant<crypto::SecretBytes, crypto::PublicKey> key)
      : algorithm_(algorithm), id_(std::move(id)), key_(std::move(key)) {}

  JwtAlgorithm algorithm_;
  std::string id_;
  std::variant<crypto::SecretBytes, crypto::PublicKey> key_;
};

// A key that signs JSON Web Tokens, with its one algorithm and its id.
class JwtSigningKey {
 public:
  // Makes a key for HS256, HS384 or HS512. A program that can verify such tokens can also make them.
  static std::expected<JwtSigningKey, JwtKeyError> from_secret(JwtAlgorithm algorithm,
                                                               std::span<const std::byte> secret, std::string id = {});
  // Makes a key for any other algorithm from an unencrypted PEM "PRIVATE KEY", as `openssl genpkey` writes it. An empty
  // `id` becomes the SHA-256 thumbprint of the public key (RFC 7638).
  static std::expected<JwtSigningKey, JwtKeyError> from_pem(JwtAlgorithm algorithm, std::string_view pem,
                                                            std::string id = {});
  // Makes a new key, whose tokens are not accepted after the process has ended. Throws std::invalid_argument for an
  // algorithm with a shared secret.
  static JwtSigningKey generate(JwtAlgorithm algorithm, std::string id = {});

  JwtAlgorithm algorithm() const noexcept { return algorithm_; }
  std::string_view id() const noexcept { return id_; }

  std::vector<std::byte> sign(std::span<const std::byte> data) const;
  // Returns the key that verifies what this key signs: the public key, or the secret itself.
  JwtKey verification_key() const;

 private:
  static JwtSigningKey with_private_key(JwtAlgorithm algorithm, crypto::PrivateKey key, std::string id);
  JwtSigningKey(JwtAlgorithm algorithm, std::string id, std::variant<crypto::SecretBytes, crypto::PrivateKey> key)
      : algorithm_(algorithm), id_(std::move(id)), key_(std::move(key)) {}

  JwtAlgorithm algorithm_;
  std::string id_;
  std::variant<crypto::SecretBytes, crypto::PrivateKey> key_;
};

}  // namespace volt::http::auth
