#include "crypto/aead.h"

#include <algorithm>

#include "crypto/cipher/xaes_gcm.h"
#include "crypto/random.h"

namespace volt::crypto {

std::vector<std::byte> seal(const SecretKey& key, std::span<const std::byte> plaintext,
                            std::span<const std::byte> associated) {
  cipher::XaesNonce nonce;
  fill_random(nonce);
  std::vector<std::byte> sealed;
  sealed.reserve(plaintext.size() + kSealBytes);
  sealed.assign(nonce.begin(), nonce.end());
  cipher::xaes_seal(key, nonce, plaintext, associated, sealed);
  return sealed;
}

std::optional<std::vector<std::byte>> open(const SecretKey& key, std::span<const std::byte> sealed,
                                           std::span<const std::byte> associated) {
  if (sealed.size() < kSealBytes) return std::nullopt;
  cipher::XaesNonce nonce;
  std::copy_n(sealed.begin(), nonce.size(), nonce.begin());
  return cipher::xaes_open(key, nonce, sealed.subspan(nonce.size()), associated);
}

}  // namespace volt::crypto
