// SPDX-License-Identifier: MIT

#include "crypto/secret_key.h"

#include <vector>

#include "crypto/bytes.h"
#include "crypto/hmac.h"
#include "crypto/random.h"

namespace volt::crypto {

SecretKey random_key() {
  SecretKey key;
  fill_random(key);
  return key;
}

SecretKey derive_key(std::span<const std::byte> secret, std::string_view label, std::span<const std::byte> salt) {
  auto extracted = hmac_sha256(salt, secret);
  // T(1) of RFC 5869 section 2.3, which has the length of a key.
  const auto info = as_bytes(label);
  std::vector<std::byte> block(info.begin(), info.end());
  block.push_back(std::byte{1});
  auto expanded = hmac_sha256(extracted, block);
  const SecretKey key(expanded);
  wipe(extracted);
  wipe(expanded);
  return key;
}

}  // namespace volt::crypto
