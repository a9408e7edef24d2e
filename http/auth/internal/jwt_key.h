// A key that verifies JSON Web Tokens, with the one algorithm that it is for (RFC 8725 section 3.1).
//
// Threads: immutable values; any thread may verify by one, several at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "crypto/signature.h"

namespace volt::http::auth {

// Of RFC 7518 section 3.1 and RFC 8037 section 3.1; "none" cannot be said.
enum class JwtAlgorithm : std::uint8_t { hs256, hs384, hs512, rs256, rs384, rs512, es256, es384, es512, eddsa };

// As a token's header spells it: "HS256".
std::string_view algorithm_name(JwtAlgorithm algorithm) noexcept;

enum class JwtKeyError : std::uint8_t {
  malformed,        // no PEM public key
  unsupported,      // a kind of key or a curve that no algorithm is for
  too_short,        // a secret shorter than its digest (RFC 7518 section 3.2), or RSA below 2048 bits
  wrong_algorithm,  // the algorithm is not for this kind of key
};

class JwtKey {
 public:
  // For HS256, HS384, HS512. `id` is the `kid` of the tokens that the key is for; without one, it is for any.
  static std::expected<JwtKey, JwtKeyError> from_secret(JwtAlgorithm algorithm, std::span<const std::byte> secret,
                                                        std::string id = {});
  // For the others: a PEM "PUBLIC KEY".
  static std::expected<JwtKey, JwtKeyError> from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id = {});

  JwtAlgorithm algorithm() const noexcept { return algorithm_; }
  std::string_view id() const noexcept { return id_; }

  bool verify(std::span<const std::byte> data, std::span<const std::byte> signature) const;

 private:
  using Secret = std::vector<std::byte>;

  JwtKey(JwtAlgorithm algorithm, std::string id, std::variant<Secret, crypto::PublicKey> key)
      : algorithm_(algorithm), id_(std::move(id)), key_(std::move(key)) {}

  JwtAlgorithm algorithm_;
  std::string id_;
  std::variant<Secret, crypto::PublicKey> key_;
};

}  // namespace volt::http::auth
