// SPDX-License-Identifier: MIT

#include "crypto/internal/evp_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include <array>
#include <string_view>
#include <utility>

#include "crypto/internal/require_memory.h"

namespace volt::crypto {
namespace {

constexpr int kRsaBitsMin = 2048;

using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using ParamBuilder = std::unique_ptr<OSSL_PARAM_BLD, Free<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Free<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;

std::expected<KeyKind, KeyError> curve_of(const EVP_PKEY* key) {
  std::array<char, 32> name{};
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) != 1)
    return std::unexpected(KeyError::unsupported);
  const std::string_view curve(name.data());
  if (curve == "prime256v1") return KeyKind::p256;
  if (curve == "secp384r1") return KeyKind::p384;
  if (curve == "secp521r1") return KeyKind::p521;
  return std::unexpected(KeyError::unsupported);
}

const char* curve_name(KeyKind curve) noexcept {
  if (curve == KeyKind::p256) return "prime256v1";
  return curve == KeyKind::p384 ? "secp384r1" : "secp521r1";
}

Number number_of(std::span<const std::byte> bytes) {
  Number number(BN_bin2bn(unsigned_chars(bytes), static_cast<int>(bytes.size()), nullptr));
  require_memory(number != nullptr);
  return number;
}

// Returns the number big-endian in `bytes` bytes; 0: in as many as it needs.
std::vector<std::byte> padded_bytes(const EVP_PKEY* key, const char* name, std::size_t bytes) {
  BIGNUM* found = nullptr;
  require_memory(EVP_PKEY_get_bn_param(key, name, &found) == 1);
  const Number number(found);
  std::vector<std::byte> out(bytes != 0 ? bytes : static_cast<std::size_t>(BN_num_bytes(found)));
  require_memory(BN_bn2binpad(found, unsigned_chars(std::span(out)), static_cast<int>(out.size())) >= 0);
  return out;
}

EvpKey make_key(const char* type, OSSL_PARAM_BLD* builder) {
  const Params params(OSSL_PARAM_BLD_to_param(builder));
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  require_memory(params && context);
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
    EVP_PKEY_free(key);
    return nullptr;
  }
  return EvpKey(key);
}

EvpKey rsa_key(const PublicNumbers& numbers) {
  const Number modulus = number_of(numbers.first);
  const Number exponent = number_of(numbers.second);
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  require_memory(builder && OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) == 1 &&
                 OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) == 1);
  return make_key("RSA", builder.get());
}

// libcrypto refuses a point that is not on the curve.
EvpKey curve_key(KeyKind kind, const PublicNumbers& numbers) {
  std::vector<std::byte> point{std::byte{0x04}};  // uncompressed: SEC 1 section 2.3.3
  point.insert(point.end(), numbers.first.begin(), numbers.first.end());
  point.insert(point.end(), numbers.second.begin(), numbers.second.end());
  const ParamBuilder builder(OSSL_PARAM_BLD_new());
  require_memory(
      builder && OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, curve_name(kind), 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) == 1);
  return make_key("EC", builder.get());
}

}  // namespace

const EVP_MD* digest_of(SignatureAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SignatureAlgorithm::rs256:
    case SignatureAlgorithm::ps256:
    case SignatureAlgorithm::es256:
      return EVP_sha256();
    case SignatureAlgorithm::rs384:
    case SignatureAlgorithm::es384:
      return EVP_sha384();
    case SignatureAlgorithm::rs512:
    case SignatureAlgorithm::es512:
      return EVP_sha512();
    case SignatureAlgorithm::ed25519:
      return nullptr;
  }
  std::unreachable();
}

std::expected<KeyKind, KeyError> kind_of(const EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      if (EVP_PKEY_get_bits(key) < kRsaBitsMin) return std::unexpected(KeyError::too_short);
      return KeyKind::rsa;
    case EVP_PKEY_EC:
      return curve_of(key);
    case EVP_PKEY_ED25519:
      return KeyKind::ed25519;
    default:
      return std::unexpected(KeyError::unsupported);
  }
}

std::size_t number_bytes(KeyKind curve) noexcept {
  switch (curve) {
    case KeyKind::p256:
      return 32;
    case KeyKind::p384:
      return 48;
    case KeyKind::p521:
      return 66;
    case KeyKind::rsa:
    case KeyKind::ed25519:
      return 0;
  }
  std::unreachable();
}

// RFC 7518 section 3.5: the salt of PS256 is as long as its digest; the digest of MGF1 is the same by default.
bool set_padding(EVP_PKEY_CTX* context, SignatureAlgorithm algorithm) noexcept {
  if (algorithm != SignatureAlgorithm::ps256) return true;
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

EvpKey public_key_from(KeyKind kind, const PublicNumbers& numbers) {
  if (kind == KeyKind::rsa) return rsa_key(numbers);
  if (kind != KeyKind::ed25519) return curve_key(kind, numbers);
  return EvpKey(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, unsigned_chars(numbers.first), numbers.first.size()));
}

PublicNumbers numbers_of(const EVP_PKEY* key, KeyKind kind) {
  if (kind == KeyKind::rsa)
    return {padded_bytes(key, OSSL_PKEY_PARAM_RSA_N, 0), padded_bytes(key, OSSL_PKEY_PARAM_RSA_E, 0)};
  if (const std::size_t bytes = number_bytes(kind); bytes != 0)
    return {padded_bytes(key, OSSL_PKEY_PARAM_EC_PUB_X, bytes), padded_bytes(key, OSSL_PKEY_PARAM_EC_PUB_Y, bytes)};
  std::size_t bytes = 32;
  std::vector<std::byte> out(bytes);
  require_memory(EVP_PKEY_get_raw_public_key(key, unsigned_chars(std::span(out)), &bytes) == 1);
  return {std::move(out), {}};
}

}  // namespace volt::crypto
