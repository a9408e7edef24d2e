#include "crypto/equal.h"

#include <openssl/crypto.h>

#include "crypto/bytes.h"
#include "crypto/digest.h"

namespace volt::crypto {

bool equal(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && (a.empty() || CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0);
}

bool equal(std::string_view a, std::string_view b) noexcept { return equal(as_bytes(a), as_bytes(b)); }

bool equal_passwords(std::string_view a, std::string_view b) { return equal(sha256(a), sha256(b)); }

}  // namespace volt::crypto
