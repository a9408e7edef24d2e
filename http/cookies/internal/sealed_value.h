// Values that a client keeps for us and cannot make up: signed (readable, authentic) or encrypted (neither readable nor
// alterable). Both are bound to a name, so that a value of one cookie is none of another, and end at a time that is
// inside, since a client keeps a cookie as long as it likes.
//
// What they cannot do is be taken back: a value is good until it ends, however often it is sent.
//
// The text is base64url, which a cookie holds without quotes: of a signature (32 bytes), the end (8) and the value; or
// of crypto::seal (40 bytes more) of the end and the value.
//
// Threads: immutable; any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/secret_key.h"

namespace volt::http::cookies {

enum class SealError : std::uint8_t {
  malformed,  // too long, not base64url, or too short
  forged,     // by no key of the ring, for another name, altered, or of the other kind
  expired,
};

// Browsers drop cookies of more than 4,096 bytes, name and attributes included (RFC 6265 section 6.1).
inline constexpr std::size_t kSealedBytesMax = 4096;

class ValueSealer {
 public:
  using Time = std::chrono::sys_seconds;

  // At least one key. The first seals and all open: to rotate, put the new key first, and drop the old one when the
  // last of its values has ended. The keys for signing and for encrypting are derived from each.
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
