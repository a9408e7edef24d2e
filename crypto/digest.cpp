// SPDX-License-Identifier: MIT

#include "crypto/digest.h"

#include <openssl/evp.h>

#include "crypto/bytes.h"
#include "crypto/internal/require_memory.h"

namespace volt::crypto {
namespace {

template <class Digest>
Digest digest(const EVP_MD* algorithm, std::span<const std::byte> data) {
  Digest result;
  unsigned bytes = 0;
  auto* out = reinterpret_cast<unsigned char*>(result.data());
  const int done = EVP_Digest(data.data(), data.size(), out, &bytes, algorithm, nullptr);
  require_memory(done == 1 && bytes == result.size());
  return result;
}

}  // namespace

Sha1 sha1(std::span<const std::byte> data) { return digest<Sha1>(EVP_sha1(), data); }
Sha1 sha1(std::string_view data) { return sha1(as_bytes(data)); }

Sha256 sha256(std::span<const std::byte> data) { return digest<Sha256>(EVP_sha256(), data); }
Sha256 sha256(std::string_view data) { return sha256(as_bytes(data)); }

Sha384 sha384(std::span<const std::byte> data) { return digest<Sha384>(EVP_sha384(), data); }
Sha384 sha384(std::string_view data) { return sha384(as_bytes(data)); }

Sha512 sha512(std::span<const std::byte> data) { return digest<Sha512>(EVP_sha512(), data); }
Sha512 sha512(std::string_view data) { return sha512(as_bytes(data)); }

}  // namespace volt::crypto
