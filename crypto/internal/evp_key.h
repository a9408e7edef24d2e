// SPDX-License-Identifier: MIT

// Keys of libcrypto, for signature.cpp and private_key.cpp.
//
// Threads: pure functions.
// Errors: functions that return a null EvpKey, or an error, may leave entries in the thread's error queue, which the
// caller must clear.
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <vector>

#include "crypto/signature.h"

namespace volt::crypto {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};
using EvpKey = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;

inline const unsigned char* unsigned_chars(std::span<const std::byte> bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* unsigned_chars(std::span<std::byte> bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// Returns the digest that `algorithm` is used with; null if the digest is part of the signature scheme.
const EVP_MD* digest_of(SignatureAlgorithm algorithm) noexcept;

// Returns the kind of a key. Errors: unsupported, too_short.
std::expected<KeyKind, KeyError> kind_of(const EVP_PKEY* key);

// Returns the length in bytes of each number of an ECDSA signature, and of each coordinate: that of the curve's order
// (RFC 7518 sections 3.4 and 6.2.1.2). 0 for keys without a curve of that kind.
std::size_t number_bytes(KeyKind curve) noexcept;

// Sets the padding that `algorithm` needs, after EVP_DigestSignInit() or EVP_DigestVerifyInit(). Returns false if
// libcrypto refuses it.
bool set_padding(EVP_PKEY_CTX* context, SignatureAlgorithm algorithm) noexcept;

// Makes a public key from its numbers, whose ranges the caller has checked; null if they are no key.
EvpKey public_key_from(KeyKind kind, const PublicNumbers& numbers);
// Returns the numbers of a key of `kind`.
PublicNumbers numbers_of(const EVP_PKEY* key, KeyKind kind);

}  // namespace volt::crypto
