// SPDX-License-Identifier: MIT

#include "http/auth/jwt_key.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "crypto/constant_time_equal.h"
#include "crypto/hmac.h"
#include "http/auth/jwk.h"

namespace volt::http::auth {
namespace {

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

std::vector<std::byte> hmac(JwtAlgorithm algorithm, std::span<const std::byte> secret,
                            std::span<const std::byte> data) {
  const auto owned = [](const auto& digest) { return std::vector<std::byte>(digest.begin(), digest.end()); };
  if (algorithm == JwtAlgorithm::hs256) return owned(crypto::hmac_sha256(secret, data));
  if (algorithm == JwtAlgorithm::hs384) return owned(crypto::hmac_sha384(secret, data));
  return owned(crypto::hmac_sha512(secret, data));
}

// Returns whether `secret` suits `algorithm`.
std::expected<void, JwtKeyError> check_secret(JwtAlgorithm algorithm, std::span<const std::byte> secret) noexcept {
  if (signature_algorithm(algorithm)) return std::unexpected(JwtKeyError::wrong_algorithm);
  if (secret.size() < secret_bytes_min(algorithm)) return std::unexpected(JwtKeyError::too_short);
  return {};
}

bool fits(JwtAlgorithm algorithm, crypto::KeyKind kind) noexcept {
  const auto signature = signature_algorithm(algorithm);
  return signature && crypto::key_kind(*signature) == kind;  // A public key cannot be a secret.
}

struct Algorithm {
  JwtAlgorithm algorithm;
  std::string_view name;
  std::optional<crypto::SignatureAlgorithm> signature;
};

constexpr Algorithm kAlgorithms[] = {
    {JwtAlgorithm::hs256, "HS256", std::nullopt},
    {JwtAlgorithm::hs384, "HS384", std::nullopt},
    {JwtAlgorithm::hs512, "HS512", std::nullopt},
    {JwtAlgorithm::rs256, "RS256", crypto::SignatureAlgorithm::rs256},
    {JwtAlgorithm::rs384, "RS384", crypto::SignatureAlgorithm::rs384},
    {JwtAlgorithm::rs512, "RS512", crypto::SignatureAlgorithm::rs512},
    {JwtAlgorithm::ps256, "PS256", crypto::SignatureAlgorithm::ps256},
    {JwtAlgorithm::es256, "ES256", crypto::SignatureAlgorithm::es256},
    {JwtAlgorithm::es384, "ES384", crypto::SignatureAlgorithm::es384},
    {JwtAlgorithm::es512, "ES512", crypto::SignatureAlgorithm::es512},
    {JwtAlgorithm::eddsa, "EdDSA", crypto::SignatureAlgorithm::ed25519},
};

const Algorithm& row_of(JwtAlgorithm algorithm) noexcept {
  return *std::ranges::find(kAlgorithms, algorithm, &Algorithm::algorithm);
}

}  // namespace

std::string_view algorithm_name(JwtAlgorithm algorithm) noexcept { return row_of(algorithm).name; }

std::optional<JwtAlgorithm> find_algorithm(std::string_view name) noexcept {
  const auto* const row = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  return row == std::end(kAlgorithms) ? std::nullopt : std::optional(row->algorithm);
}

std::optional<crypto::SignatureAlgorithm> signature_algorithm(JwtAlgorithm algorithm) noexcept {
  return row_of(algorithm).signature;
}

std::expected<JwtKey, JwtKeyError> JwtKey::from_secret(JwtAlgorithm algorithm, std::span<const std::byte> secret,
                                                       std::string id) {
  if (const auto checked = check_secret(algorithm, secret); !checked) return std::unexpected(checked.error());
  return JwtKey(algorithm, std::move(id), crypto::SecretBytes(secret));
}

std::expected<JwtKey, JwtKeyError> JwtKey::from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id) {
  if (!signature_algorithm(algorithm)) return std::unexpected(JwtKeyError::wrong_algorithm);
  auto key = crypto::PublicKey::from_pem(pem);
  if (!key) return std::unexpected(to_jwt_error(key.error()));
  return from_public_key(algorithm, *std::move(key), std::move(id));
}

std::expected<JwtKey, JwtKeyError> JwtKey::from_public_key(JwtAlgorithm algorithm, crypto::PublicKey key,
                                                           std::string id) {
  if (!fits(algorithm, key.kind())) return std::unexpected(JwtKeyError::wrong_algorithm);
  return JwtKey(algorithm, std::move(id), std::move(key));
}

bool JwtKey::verify(std::span<const std::byte> data, std::span<const std::byte> signature) const {
  if (const auto* secret = std::get_if<crypto::SecretBytes>(&key_))
    return crypto::constant_time_equal(hmac(algorithm_, secret->view(), data), signature);
  return std::get<crypto::PublicKey>(key_).verify(*signature_algorithm(algorithm_), data, signature);
}

std::expected<JwtSigningKey, JwtKeyError> JwtSigningKey::from_secret(JwtAlgorithm algorithm,
                                                                     std::span<const std::byte> secret,
                                                                     std::string id) {
  if (const auto checked = check_secret(algorithm, secret); !checked) return std::unexpected(checked.error());
  return JwtSigningKey(algorithm, std::move(id), crypto::SecretBytes(secret));
}

std::expected<JwtSigningKey, JwtKeyError> JwtSigningKey::from_pem(JwtAlgorithm algorithm, std::string_view pem,
                                                                  std::string id) {
  if (!signature_algorithm(algorithm)) return std::unexpected(JwtKeyError::wrong_algorithm);
  auto key = crypto::PrivateKey::from_pem(pem);
  if (!key) return std::unexpected(to_jwt_error(key.error()));
  if (!fits(algorithm, key->kind())) return std::unexpected(JwtKeyError::wrong_algorithm);
  return with_private_key(algorithm, *std::move(key), std::move(id));
}

JwtSigningKey JwtSigningKey::generate(JwtAlgorithm algorithm, std::string id) {
  const auto signature = signature_algorithm(algorithm);
  if (!signature) throw std::invalid_argument("JwtSigningKey::generate: the algorithm has no public key");
  return with_private_key(algorithm, crypto::PrivateKey::generate(crypto::key_kind(*signature)), std::move(id));
}

JwtSigningKey JwtSigningKey::with_private_key(JwtAlgorithm algorithm, crypto::PrivateKey key, std::string id) {
  if (id.empty()) id = jwk_thumbprint(key.public_key());
  return JwtSigningKey(algorithm, std::move(id), std::move(key));
}

std::vector<std::byte> JwtSigningKey::sign(std::span<const std::byte> data) const {
  if (const auto* secret = std::get_if<crypto::SecretBytes>(&key_)) return hmac(algorithm_, secret->view(), data);
  return std::get<crypto::PrivateKey>(key_).sign(*signature_algorithm(algorithm_), data);
}

JwtKey JwtSigningKey::verification_key() const {
  if (const auto* secret = std::get_if<crypto::SecretBytes>(&key_))
    return JwtKey::from_secret(algorithm_, secret->view(), id_).value();
  return JwtKey::from_public_key(algorithm_, std::get<crypto::PrivateKey>(key_).public_key(), id_).value();
}

}  // namespace volt::http::auth
