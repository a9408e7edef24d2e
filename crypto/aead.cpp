// SPDX-License-Identifier: MIT

#include "crypto/aead.h"

#include <algorithm>

#include "crypto/internal/xaes_gcm.h"
#include "crypto/random.h"

namespace volt::crypto {

std::vector<std::byte> seal(const SecretKey& key, std::span<const std::byte> plaintext,
                            std::span<const std::byte> associated) {
  internal::XaesNonce nonce;
  fill_random(nonce);
  std::vector<std::byte> sealed;
  sealed.reserve(plaintext.size() + kSealBytes);
  sealed.assign(nonce.begin(), nonce.end());
  internal::xaes_seal(key, nonce, plaintext, associated, sealed);
  return sealed;
}

std::optional<std::vector<std::byte>> open(const SecretKey& key, std::span<const std::byte> sealed,
                                           std::span<const std::byte> associated) {
  if (sealed.size() < kSealBytes) return std::nullopt;
  internal::XaesNonce nonce;
  std::copy_n(sealed.begin(), nonce.size(), nonce.begin());
  return internal::xaes_open(key, nonce, sealed.subspan(nonce.size()), associated);
}

}  // namespace volt::crypto
