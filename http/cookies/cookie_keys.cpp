// SPDX-License-Identifier: MIT

#include "http/cookies/cookie_keys.h"

#include <stdexcept>
#include <utility>

#include "crypto/bytes.h"
#include "http/cookies/internal/sealed_value.h"
#include "runtime/wall_clock.h"

namespace volt::http {
namespace {

using Ring = std::vector<crypto::SecretKey>;

cookies::ValueSealer::Time now() { return wall_second(); }

template <class Secrets>
Ring ring_of(const Secrets& secrets) {
  constexpr std::size_t kSecretBytesMin = 32;
  Ring ring;
  for (const std::string_view secret : secrets) {
    if (secret.size() < kSecretBytesMin) throw std::invalid_argument("a cookie secret has fewer than 32 bytes");
    ring.push_back(crypto::derive_key(crypto::as_bytes(secret), "volt cookie secret"));
  }
  if (ring.empty()) throw std::invalid_argument("cookies need at least one secret");
  return ring;
}

}  // namespace

CookieKeys::CookieKeys(std::initializer_list<std::string_view> secrets) : CookieKeys(ring_of(secrets)) {}
CookieKeys::CookieKeys(std::span<const std::string> secrets) : CookieKeys(ring_of(secrets)) {}
CookieKeys::CookieKeys(Ring ring)
    : ring_(std::move(ring)), sealer_(std::make_shared<const cookies::ValueSealer>(ring_)) {}

CookieKeys CookieKeys::random() { return CookieKeys(Ring{crypto::random_key()}); }

std::string CookieKeys::sign(std::string_view name, std::string_view value, std::chrono::seconds life_time) const {
  return sealer_->sign(name, value, now() + life_time);
}

std::expected<std::string, SealError> CookieKeys::verify(std::string_view name, std::string_view text) const {
  return sealer_->verify(name, text, now());
}

std::string CookieKeys::encrypt(std::string_view name, std::string_view value, std::chrono::seconds life_time) const {
  return sealer_->encrypt(name, value, now() + life_time);
}

std::expected<std::string, SealError> CookieKeys::decrypt(std::string_view name, std::string_view text) const {
  return sealer_->decrypt(name, text, now());
}

}  // namespace volt::http
