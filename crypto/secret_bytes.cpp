// SPDX-License-Identifier: MIT

#include "crypto/secret_bytes.h"

#include <openssl/crypto.h>

namespace volt::crypto {

void wipe(std::span<std::byte> bytes) noexcept { OPENSSL_cleanse(bytes.data(), bytes.size()); }

void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // within the capacity, so it does not allocate
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

}  // namespace volt::crypto
