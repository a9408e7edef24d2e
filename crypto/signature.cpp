// SPDX-License-Identifier: MIT

#include "crypto/signature.h"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <climits>
#include <optional>
#include <utility>
#include <vector>

#include "crypto/internal/evp_key.h"
#include "crypto/internal/require_memory.h"

namespace volt::crypto {

struct PublicKey::Handle {
  EvpKey key;
};

namespace {

constexpr std::size_t kRsaBytesMax = 2048;  // libcrypto uses no larger keys: OPENSSL_RSA_MAX_MODULUS_BITS
constexpr std::size_t kExponentBytesMax = 8;
constexpr std::size_t kEd25519Bytes = 32;

using EcdsaSignature = std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Input = std::unique_ptr<BIO, Free<BIO_free_all>>;

EvpKey read_pem(std::string_view pem) {
  if (pem.size() > INT_MAX) return nullptr;
  const Input input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  require_memory(input != nullptr);
  // Without this callback, libcrypto would ask for the password of an encrypted PEM on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  return EvpKey(PEM_read_bio_PUBKEY(input.get(), nullptr, no_password, nullptr));
}

bool is_odd(std::span<const std::byte> number) noexcept {
  return !number.empty() && (number.back() & std::byte{1}) != std::byte{0};
}

// Returns whether the numbers have the lengths of a key of `kind`. RSA: the modulus and the exponent are odd, and the
// exponent is not 1, with which every message would be its own signature.
bool are_plausible(KeyKind kind, const PublicNumbers& numbers) noexcept {
  const auto& [first, second] = numbers;
  if (kind == KeyKind::rsa) {
    return first.size() <= kRsaBytesMax && is_odd(first) && is_odd(second) && second.size() <= kExponentBytesMax &&
           (second.size() > 1 || second.front() != std::byte{1}) && second.front() != std::byte{0};
  }
  if (kind == KeyKind::ed25519) return first.size() == kEd25519Bytes && second.empty();
  return first.size() == number_bytes(kind) && second.size() == number_bytes(kind);
}

// Converts an ECDSA signature to libcrypto's form. The verification checks whether r and s are in range.
std::optional<std::vector<std::byte>> to_asn1(KeyKind curve, std::span<const std::byte> signature) {
  const std::size_t bytes = number_bytes(curve);
  if (signature.size() != 2 * bytes) return std::nullopt;
  Number r(BN_bin2bn(unsigned_chars(signature), static_cast<int>(bytes), nullptr));
  Number s(BN_bin2bn(unsigned_chars(signature.subspan(bytes)), static_cast<int>(bytes), nullptr));
  const EcdsaSignature numbers(ECDSA_SIG_new());
  require_memory(r && s && numbers);
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());

  const int size = i2d_ECDSA_SIG(numbers.get(), nullptr);
  require_memory(size > 0);
  std::vector<std::byte> asn1(static_cast<std::size_t>(size));
  auto* out = reinterpret_cast<unsigned char*>(asn1.data());
  require_memory(i2d_ECDSA_SIG(numbers.get(), &out) == size);
  return asn1;
}

bool verify_digest(EVP_PKEY* key, SignatureAlgorithm algorithm, std::span<const std::byte> data,
                   std::span<const std::byte> signature) {
  const DigestContext context(EVP_MD_CTX_new());
  require_memory(context != nullptr);
  EVP_PKEY_CTX* key_context = nullptr;  // belongs to `context`
  const bool right = EVP_DigestVerifyInit(context.get(), &key_context, digest_of(algorithm), nullptr, key) == 1 &&
                     set_padding(key_context, algorithm) &&
                     EVP_DigestVerify(context.get(), unsigned_chars(signature), signature.size(), unsigned_chars(data),
                                      data.size()) == 1;
  if (!right) ERR_clear_error();  // the error queue belongs to the thread, and its TLS connections read it
  return right;
}

}  // namespace

KeyKind key_kind(SignatureAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case SignatureAlgorithm::rs256:
    case SignatureAlgorithm::rs384:
    case SignatureAlgorithm::rs512:
    case SignatureAlgorithm::ps256:
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
  return adopt(std::make_shared<const Handle>(read_pem(pem)));
}

std::expected<PublicKey, KeyError> PublicKey::from_numbers(KeyKind kind, const PublicNumbers& numbers) {
  if (!are_plausible(kind, numbers)) return std::unexpected(KeyError::malformed);
  return adopt(std::make_shared<const Handle>(public_key_from(kind, numbers)));
}

std::expected<PublicKey, KeyError> PublicKey::adopt(std::shared_ptr<const Handle> handle) {
  const auto kind = handle->key == nullptr ? std::unexpected(KeyError::malformed) : kind_of(handle->key.get());
  if (kind) return PublicKey(*kind, std::move(handle));
  ERR_clear_error();
  return std::unexpected(kind.error());
}

PublicNumbers PublicKey::numbers() const { return numbers_of(handle_->key.get(), kind_); }

bool PublicKey::verify(SignatureAlgorithm algorithm, std::span<const std::byte> data,
                       std::span<const std::byte> signature) const {
  if (key_kind(algorithm) != kind_) return false;
  EVP_PKEY* key = handle_->key.get();
  if (number_bytes(kind_) == 0) return verify_digest(key, algorithm, data, signature);
  const auto asn1 = to_asn1(kind_, signature);
  return asn1 && verify_digest(key, algorithm, data, *asn1);
}

}  // namespace volt::crypto
