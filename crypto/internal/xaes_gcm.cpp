// SPDX-License-Identifier: MIT

#include "crypto/internal/xaes_gcm.h"

#include <algorithm>

#include "crypto/internal/aes_gcm.h"

namespace volt::crypto::internal {
namespace {

using Block = std::array<std::byte, 16>;

// Returns CMAC's K1 (NIST SP 800-38B section 6.1): AES of zeros, doubled in GF(2^128).
Block cmac_subkey(const SecretKey& key) {
  const Block zero = aes_block(key, Block{});
  Block doubled;
  for (std::size_t i = 0; i < zero.size(); ++i) {
    const std::byte carried = i + 1 < zero.size() ? zero[i + 1] >> 7 : std::byte{0};
    doubled[i] = zero[i] << 1 | carried;
  }
  // A mask instead of a branch, because the bit depends on the secret key.
  const std::byte overflow = zero[0] >> 7;
  doubled.back() ^= std::byte{static_cast<unsigned char>(0x87 * std::to_integer<unsigned>(overflow))};
  return doubled;
}

SecretKey message_key(const SecretKey& key, const XaesNonce& nonce) {
  const Block subkey = cmac_subkey(key);
  SecretKey derived;
  for (std::size_t half = 0; half < 2; ++half) {
    Block message{std::byte{0}, static_cast<std::byte>(half + 1), std::byte{'X'}, std::byte{0}};
    std::copy_n(nonce.begin(), 12, message.begin() + 4);
    for (std::size_t i = 0; i < message.size(); ++i) message[i] ^= subkey[i];
    std::ranges::copy(aes_block(key, message), derived.begin() + static_cast<std::ptrdiff_t>(16 * half));
  }
  return derived;
}

GcmNonce message_nonce(const XaesNonce& nonce) {
  GcmNonce last;
  std::copy_n(nonce.begin() + 12, last.size(), last.begin());
  return last;
}

}  // namespace

void xaes_seal(const SecretKey& key, const XaesNonce& nonce, std::span<const std::byte> plaintext,
               std::span<const std::byte> associated, std::vector<std::byte>& out) {
  gcm_seal(message_key(key, nonce), message_nonce(nonce), plaintext, associated, out);
}

std::optional<std::vector<std::byte>> xaes_open(const SecretKey& key, const XaesNonce& nonce,
                                                std::span<const std::byte> sealed,
                                                std::span<const std::byte> associated) {
  return gcm_open(message_key(key, nonce), message_nonce(nonce), sealed, associated);
}

}  // namespace volt::crypto::internal
