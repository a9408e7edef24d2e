// SPDX-License-Identifier: MIT

#include "http/cookies/internal/sealed_value.h"

#include <array>
#include <optional>

#include "crypto/aead.h"
#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/constant_time_equal.h"
#include "crypto/hmac.h"
#include "runtime/base/check.h"

namespace volt::http::cookies {
namespace {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;
using Time = ValueSealer::Time;

constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kSignatureBytes = 32;

void append(Bytes& bytes, ByteView more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

void append_number(Bytes& bytes, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(number >> shift));
}

// Returns the bytes that are signed or encrypted: the time of expiry, then the value.
Bytes make_body(std::string_view value, Time ends) {
  Bytes body;
  body.reserve(kNumberBytes + value.size());
  append_number(body, static_cast<std::uint64_t>(ends.time_since_epoch().count()));
  append(body, crypto::as_bytes(value));
  return body;
}

// Reads the value from a body whose authenticity has been verified. Fails with expired, or with malformed.
std::expected<std::string, SealError> read_body(ByteView body, Time now) {
  if (body.size() < kNumberBytes) return std::unexpected(SealError::malformed);
  std::uint64_t ends = 0;
  for (const std::byte byte : body.first(kNumberBytes)) ends = ends << 8 | std::to_integer<std::uint64_t>(byte);
  if (now.time_since_epoch().count() >= static_cast<std::int64_t>(ends)) return std::unexpected(SealError::expired);
  return std::string(crypto::as_text(body.subspan(kNumberBytes)));
}

// Signs the name and the body. The length of the name is signed too: otherwise the name "a" with the body "bc" would
// have the signature of the name "ab" with the body "c".
std::array<std::byte, kSignatureBytes> signature(const crypto::SecretKey& key, std::string_view name, ByteView body) {
  Bytes data;
  append_number(data, name.size());
  append(data, crypto::as_bytes(name));
  append(data, body);
  return crypto::hmac_sha256(key, data);
}

std::optional<Bytes> decode(std::string_view text) {
  return text.size() <= kSealedBytesMax ? crypto::base64url_decode(text) : std::nullopt;
}

}  // namespace

ValueSealer::ValueSealer(std::span<const crypto::SecretKey> keys) {
  VOLT_CHECK(!keys.empty());
  for (const crypto::SecretKey& key : keys) {
    signing_keys_.push_back(crypto::derive_key(key, "volt signed value"));
    encryption_keys_.push_back(crypto::derive_key(key, "volt encrypted value"));
  }
}

std::string ValueSealer::sign(std::string_view name, std::string_view value, Time ends) const {
  const Bytes body = make_body(value, ends);
  Bytes bytes;
  append(bytes, signature(signing_keys_.front(), name, body));
  append(bytes, body);
  return crypto::base64url_encode(bytes);
}

std::expected<std::string, SealError> ValueSealer::verify(std::string_view name, std::string_view text,
                                                          Time now) const {
  const auto bytes = decode(text);
  if (!bytes || bytes->size() < kSignatureBytes) return std::unexpected(SealError::malformed);
  const ByteView claimed = ByteView(*bytes).first(kSignatureBytes);
  const ByteView body = ByteView(*bytes).subspan(kSignatureBytes);
  for (const crypto::SecretKey& key : signing_keys_) {
    if (crypto::constant_time_equal(signature(key, name, body), claimed)) return read_body(body, now);
  }
  return std::unexpected(SealError::forged);
}

std::string ValueSealer::encrypt(std::string_view name, std::string_view value, Time ends) const {
  return crypto::base64url_encode(
      crypto::seal(encryption_keys_.front(), make_body(value, ends), crypto::as_bytes(name)));
}

std::expected<std::string, SealError> ValueSealer::decrypt(std::string_view name, std::string_view text,
                                                           Time now) const {
  const auto sealed = decode(text);
  if (!sealed || sealed->size() < crypto::kSealBytes) return std::unexpected(SealError::malformed);
  for (const crypto::SecretKey& key : encryption_keys_) {
    if (const auto body = crypto::open(key, *sealed, crypto::as_bytes(name))) return read_body(*body, now);
  }
  return std::unexpected(SealError::forged);
}

}  // namespace volt::http::cookies
