// SPDX-License-Identifier: MIT

#include "crypto/signature.h"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "crypto/internal/require_memory.h"

namespace volt::crypto {

struct PublicKey::Handle {
  explicit Handle(EVP_PKEY* owned) noexcept : key(owned) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { EVP_PKEY_free(key); }

  EVP_PKEY* key;
};

namespace {

constexpr int kRsaBitsMin = 2048;

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Input = std::unique_ptr<BIO, Free<BIO_free_all>>;

const unsigned char* raw(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Returns the digest that `algorithm` is used with; null if the digest is part of the signature scheme.
const EVP_MD* digest_of(SignatureAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SignatureAlgorithm::rs256:
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

EVP_PKEY* read_pem(std::string_view pem) {
  if (pem.size() > INT_MAX) return nullptr;
  const Input input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  require_memory(input != nullptr);
  // Without this callback, libcrypto would ask for the password of an encrypted PEM on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  return PEM_read_bio_PUBKEY(input.get(), nullptr, no_password, nullptr);
}

// Returns the length in bytes of each of r and s: that of the curve's order (RFC 7518 section 3.4).
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

// Converts an ECDSA signature to libcrypto's form. The verification checks whether r and s are in range.
std::optional<std::vector<std::byte>> to_asn1(KeyKind curve, std::span<const std::byte> signature) {
  const std::size_t bytes = number_bytes(curve);
  if (signature.size() != 2 * bytes) return std::nullopt;
  Number r(BN_bin2bn(raw(signature), static_cast<int>(bytes), nullptr));
  Number s(BN_bin2bn(raw(signature.subspan(bytes)), static_cast<int>(bytes), nullptr));
  const EcdsaSignature numbers(ECDSA_SIG_new());
  require_memory(r && s && numbers);
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());

  std::vector<std::byte> asn1(static_cast<std::size_t>(i2d_ECDSA_SIG(numbers.get(), nullptr)));
  auto* out = reinterpret_cast<unsigned char*>(asn1.data());
  i2d_ECDSA_SIG(numbers.get(), &out);
  return asn1;
}

bool verify_digest(EVP_PKEY* key, const EVP_MD* digest, std::span<const std::byte> data,
                   std::span<const std::byte> signature) {
  const DigestContext context(EVP_MD_CTX_new());
  require_memory(context != nullptr);
  const bool right = EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
                     EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(data), data.size()) == 1;
  if (!right) ERR_clear_error();  // the error queue belongs to the thread, and its TLS connections read it
  return right;
}

}  // namespace

KeyKind key_kind(SignatureAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SignatureAlgorithm::rs256:
    case SignatureAlgorithm::rs384:
    case SignatureAlgorithm::rs512:
      return KeyKind::rsa;
    case SignatureAlgorithm::es256:
      return KeyKind::p256;
    case SignatureAlgorithm::es384:
      return KeyKind::p384;
    case SignatureAlgorithm::es512:
      return KeyKind::p521;
    case SignatureAlgorithm::ed25519:
      return KeyKind::ed25519;
  }
  std::unreachable();
}

std::expected<PublicKey, KeyError> PublicKey::from_pem(std::string_view pem) {
  const auto handle = std::make_shared<const Handle>(read_pem(pem));
  const auto kind = handle->key == nullptr ? std::unexpected(KeyError::malformed) : kind_of(handle->key);
  if (kind) return PublicKey(*kind, handle);
  ERR_clear_error();
  return std::unexpected(kind.error());
}

bool PublicKey::verify(SignatureAlgorithm algorithm, std::span<const std::byte> data,
                       std::span<const std::byte> signature) const {
  if (key_kind(algorithm) != kind_) return false;
  if (number_bytes(kind_) == 0) return verify_digest(handle_->key, digest_of(algorithm), data, signature);
  const auto asn1 = to_asn1(kind_, signature);
  return asn1 && verify_digest(handle_->key, digest_of(algorithm), data, *asn1);
}

}  // namespace volt::crypto
