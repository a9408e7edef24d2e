// SPDX-License-Identifier: MIT

// Values that a client stores and cannot forge: signed (readable, authentic) or encrypted (neither readable nor
// alterable). Both are bound to a name, so that a value of one cookie is not valid for another. Both contain the time
// at which they expire, because a client may keep a cookie for any time.
//
// A value cannot be revoked: it is valid until it expires, however often it is sent.
//
// The text is base64url, which a cookie can hold without quotes. A signed value is the signature (32 bytes), the expiry
// (8) and the value. An encrypted value is crypto::seal (40 more bytes) of the expiry and the value.
//
// Threads: immutable; used by any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/secret_key.h"
#include "http/cookies/seal_error.h"

namespace volt::http::cookies {

// Maximum length of a sealed value. Browsers drop cookies of more than 4,096 bytes, including name and attributes (RFC
// 6265 section 6.1).
inline constexpr std::size_t kSealedBytesMax = 4096;

class ValueSealer {
 public:
  using Time = std::chrono::sys_seconds;

  // Requires at least one key. The first key seals; all keys open. To rotate keys, put the new key first, and drop the
  // old key when the last of its values has expired. The keys for signing and for encrypting are derived from each key.
  explicit ValueSealer(std::span<const crypto::SecretKey> keys);

  std::string sign(std::string_view name, std::string_view value, Time ends) const;
  std::expected<std::string, SealError> verify(std::string_view name, std::string_view text, Time now) const;

  std::string encrypt(std::string_view name, std::string_view value, Time ends) const;
  std::expected<std::string, SealError> decrypt(std::string_view name, std::string_view text, Time now) const;

 private:
  std::vector<crypto::SecretKey> signing_keys_;
  std::vector<crypto::SecretKey> encryption_keys_;
};

}  // namespace volt::http::cookies
