// SPDX-License-Identifier: MIT

#include "crypto/private_key.h"

#include <openssl/bn.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <climits>
#include <stdexcept>

#include "crypto/internal/evp_key.h"
#include "crypto/internal/require_memory.h"
#include "runtime/base/check.h"

namespace volt::crypto {

struct PrivateKey::Handle {
  EvpKey key;
};

namespace {

constexpr std::size_t kRsaBits = 2048;

EvpKey read_private_pem(std::string_view pem) {
  if (pem.size() > INT_MAX) return nullptr;
  const std::unique_ptr<BIO, Free<BIO_free_all>> input(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  require_memory(input != nullptr);
  // Without this callback, libcrypto would ask for the password of an encrypted PEM on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  return EvpKey(PEM_read_bio_PrivateKey(input.get(), nullptr, no_password, nullptr));
}

EVP_PKEY* generate_key(KeyKind kind) {
  switch (kind) {
    case KeyKind::rsa:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", kRsaBits);
    case KeyKind::p256:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    case KeyKind::p384:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-384");
    case KeyKind::p521:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-521");
    case KeyKind::ed25519:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  }
  std::unreachable();
}

// Converts libcrypto's form of an ECDSA signature to r followed by s (RFC 7518 section 3.4).
std::vector<std::byte> from_asn1(KeyKind curve, std::span<const std::byte> asn1) {
  const unsigned char* next = unsigned_chars(asn1);
  const std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>> numbers(
      d2i_ECDSA_SIG(nullptr, &next, static_cast<long>(asn1.size())));
  require_memory(numbers != nullptr);
  const std::size_t bytes = number_bytes(curve);
  std::vector<std::byte> signature(2 * bytes);
  const int size = static_cast<int>(bytes);
  const auto out = std::span(signature);
  VOLT_CHECK(BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), unsigned_chars(out), size) == size);
  VOLT_CHECK(BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), unsigned_chars(out.subspan(bytes)), size) == size);
  return signature;
}

}  // namespace

std::expected<PrivateKey, KeyError> PrivateKey::from_pem(std::string_view pem) {
  const auto handle = std::make_shared<const Handle>(read_private_pem(pem));
  const auto kind = handle->key == nullptr ? std::unexpected(KeyError::malformed) : kind_of(handle->key.get());
  ERR_clear_error();  // the error queue belongs to the thread, and its TLS connections read it
  if (!kind) return std::unexpected(kind.error());
  return PrivateKey(*kind, handle);
}

PrivateKey PrivateKey::generate(KeyKind kind) {
  const auto handle = std::make_shared<const Handle>(EvpKey(generate_key(kind)));
  require_memory(handle->key != nullptr);
  return PrivateKey(kind, handle);
}

PublicKey PrivateKey::public_key() const {
  return PublicKey::from_numbers(kind_, numbers_of(handle_->key.get(), kind_)).value();
}

std::vector<std::byte> PrivateKey::sign(SignatureAlgorithm algorithm, std::span<const std::byte> data) const {
  if (key_kind(algorithm) != kind_) throw std::invalid_argument("the signature algorithm does not fit the key");
  const DigestContext context(EVP_MD_CTX_new());
  require_memory(context != nullptr);
  EVP_PKEY_CTX* key_context = nullptr;  // belongs to `context`
  std::size_t size = 0;
  require_memory(EVP_DigestSignInit(context.get(), &key_context, digest_of(algorithm), nullptr, handle_->key.get()) ==
                     1 &&
                 set_padding(key_context, algorithm) &&
                 EVP_DigestSign(context.get(), nullptr, &size, unsigned_chars(data), data.size()) == 1);
  std::vector<std::byte> signature(size);
  // If libcrypto lacks memory to write an ECDSA signature, it reports success with a size of 4 GiB.
  require_memory(EVP_DigestSign(context.get(), unsigned_chars(std::span(signature)), &size, unsigned_chars(data),
                                data.size()) == 1 &&
                 size <= signature.size());
  signature.resize(size);
  return number_bytes(kind_) == 0 ? signature : from_asn1(kind_, signature);
}

}  // namespace volt::crypto
