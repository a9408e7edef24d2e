// SPDX-License-Identifier: MIT

#include "crypto/hmac.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <climits>

#include "crypto/internal/require_memory.h"
#include "runtime/base/check.h"

namespace volt::crypto {
namespace {

template <std::size_t kBytes>
std::array<std::byte, kBytes> hmac(const EVP_MD* algorithm, std::span<const std::byte> key,
                                   std::span<const std::byte> data) {
  VOLT_CHECK(key.size() <= INT_MAX);
  std::array<std::byte, kBytes> result;
  unsigned bytes = 0;
  const void* key_data =
      key.empty() ? "" : static_cast<const void*>(key.data());  // to libcrypto a null key means "the previous key"
  const unsigned char* done =
      HMAC(algorithm, key_data, static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(data.data()),
           data.size(), reinterpret_cast<unsigned char*>(result.data()), &bytes);
  require_memory(done != nullptr && bytes == kBytes);
  return result;
}

}  // namespace

std::array<std::byte, 32> hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> data) {
  return hmac<32>(EVP_sha256(), key, data);
}

std::array<std::byte, 48> hmac_sha384(std::span<const std::byte> key, std::span<const std::byte> data) {
  return hmac<48>(EVP_sha384(), key, data);
}

std::array<std::byte, 64> hmac_sha512(std::span<const std::byte> key, std::span<const std::byte> data) {
  return hmac<64>(EVP_sha512(), key, data);
}

}  // namespace volt::crypto
