// SPDX-License-Identifier: MIT

#include "crypto/constant_time_equal.h"

#include <openssl/crypto.h>

#include "crypto/bytes.h"
#include "crypto/digest.h"

namespace volt::crypto {

bool constant_time_equal(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

bool constant_time_equal(std::string_view a, std::string_view b) noexcept {
  return constant_time_equal(as_bytes(a), as_bytes(b));
}

bool equal_passwords(std::string_view a, std::string_view b) { return constant_time_equal(sha256(a), sha256(b)); }

}  // namespace volt::crypto
