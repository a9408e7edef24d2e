// SPDX-License-Identifier: MIT

// JwtKey: a key that verifies JSON Web Tokens, together with its one algorithm (RFC 8725 section 3.1).
//
// Threads: immutable values; several threads may verify with one key at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "crypto/secret_bytes.h"
#include "crypto/signature.h"

namespace volt::http::auth {

// Algorithms of RFC 7518 section 3.1 and RFC 8037 section 3.1; "none" cannot be expressed.
enum class JwtAlgorithm : std::uint8_t { hs256, hs384, hs512, rs256, rs384, rs512, es256, es384, es512, eddsa };

// Returns the algorithm's name in a token's header, such as "HS256".
std::string_view algorithm_name(JwtAlgorithm algorithm) noexcept;

enum class JwtKeyError : std::uint8_t {
  malformed,        // Not a PEM public key.
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

  JwtAlgorithm algorithm() const noexcept { return algorithm_; }
  std::string_view id() const noexcept { return id_; }

  bool verify(std::span<const std::byte> data, std::span<const std::byte> signature) const;

 private:
  JwtKey(JwtAlgorithm algorithm, std::string id, std::variant<crypto::SecretBytes, crypto::PublicKey> key)
      : algorithm_(algorithm), id_(std::move(id)), key_(std::move(key)) {}

  JwtAlgorithm algorithm_;
  std::string id_;
  std::variant<crypto::SecretBytes, crypto::PublicKey> key_;
};

}  // namespace volt::http::auth
