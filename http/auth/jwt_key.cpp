// SPDX-License-Identifier: MIT

#include "http/auth/jwt_key.h"

#include <optional>

#include "crypto/constant_time_equal.h"
#include "crypto/hmac.h"

namespace volt::http::auth {
namespace {

// Returns the crypto library's algorithm; nullopt for the algorithms that verify with a shared secret.
std::optional<crypto::SignatureAlgorithm> signature_algorithm(JwtAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case JwtAlgorithm::hs256:
    case JwtAlgorithm::hs384:
    case JwtAlgorithm::hs512:
      return std::nullopt;
    case JwtAlgorithm::rs256:
      return crypto::SignatureAlgorithm::rs256;
    case JwtAlgorithm::rs384:
      return crypto::SignatureAlgorithm::rs384;
    case JwtAlgorithm::rs512:
      return crypto::SignatureAlgorithm::rs512;
    case JwtAlgorithm::es256:
      return crypto::SignatureAlgorithm::es256;
    case JwtAlgorithm::es384:
      return crypto::SignatureAlgorithm::es384;
    case JwtAlgorithm::es512:
      return crypto::SignatureAlgorithm::es512;
    case JwtAlgorithm::eddsa:
      return crypto::SignatureAlgorithm::ed25519;
  }
  std::unreachable();
}

std::size_t secret_bytes_min(JwtAlgorithm algorithm) noexcept {
  if (algorithm == JwtAlgorithm::hs256) return 32;
  return algorithm == JwtAlgorithm::hs384 ? 48 : 64;
}

JwtKeyError to_jwt_error(crypto::KeyError error) noexcept {
  switch (error) {
    case crypto::KeyError::malformed:
      return JwtKeyError::malformed;
    case crypto::KeyError::unsupported:
      return JwtKeyError::unsupported;
    case crypto::KeyError::too_short:
      return JwtKeyError::too_short;
  }
  std::unreachable();
}

bool verify_hmac(JwtAlgorithm algorithm, std::span<const std::byte> secret, std::span<const std::byte> data,
                 std::span<const std::byte> signature) {
  if (algorithm == JwtAlgorithm::hs256)
    return crypto::constant_time_equal(crypto::hmac_sha256(secret, data), signature);
  if (algorithm == JwtAlgorithm::hs384)
    return crypto::constant_time_equal(crypto::hmac_sha384(secret, data), signature);
  return crypto::constant_time_equal(crypto::hmac_sha512(secret, data), signature);
}

}  // namespace

std::string_view algorithm_name(JwtAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case JwtAlgorithm::hs256:
      return "HS256";
    case JwtAlgorithm::hs384:
      return "HS384";
    case JwtAlgorithm::hs512:
      return "HS512";
    case JwtAlgorithm::rs256:
      return "RS256";
    case JwtAlgorithm::rs384:
      return "RS384";
    case JwtAlgorithm::rs512:
      return "RS512";
    case JwtAlgorithm::es256:
      return "ES256";
    case JwtAlgorithm::es384:
      return "ES384";
    case JwtAlgorithm::es512:
      return "ES512";
    case JwtAlgorithm::eddsa:
      return "EdDSA";
  }
  std::unreachable();
}

std::expected<JwtKey, JwtKeyError> JwtKey::from_secret(JwtAlgorithm algorithm, std::span<const std::byte> secret,
                                                       std::string id) {
  if (signature_algorithm(algorithm)) return std::unexpected(JwtKeyError::wrong_algorithm);
  if (secret.size() < secret_bytes_min(algorithm)) return std::unexpected(JwtKeyError::too_short);
  return JwtKey(algorithm, std::move(id), crypto::SecretBytes(secret));
}

std::expected<JwtKey, JwtKeyError> JwtKey::from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id) {
  const auto signature = signature_algorithm(algorithm);
  if (!signature) return std::unexpected(JwtKeyError::wrong_algorithm);  // A public key cannot be a secret.
  const auto key = crypto::PublicKey::from_pem(pem);
  if (!key) return std::unexpected(to_jwt_error(key.error()));
  if (key->kind() != crypto::key_kind(*signature)) return std::unexpected(JwtKeyError::wrong_algorithm);
  return JwtKey(algorithm, std::move(id), *key);
}

bool JwtKey::verify(std::span<const std::byte> data, std::span<const std::byte> signature) const {
  if (const auto* secret = std::get_if<crypto::SecretBytes>(&key_))
    return verify_hmac(algorithm_, secret->view(), data, signature);
  return std::get<crypto::PublicKey>(key_).verify(*signature_algorithm(algorithm_), data, signature);
}

}  // namespace volt::http::auth
