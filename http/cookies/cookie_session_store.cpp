// SPDX-License-Identifier: MIT

#include "http/cookies/cookie_session_store.h"

#include <utility>

namespace volt::http::cookies {

CookieSessionStore::CookieSessionStore(std::span<const crypto::SecretKey> keys, std::string name,
                                       std::chrono::seconds life_time)
    : sealer_(keys), name_(std::move(name)), life_time_(life_time) {}

std::optional<std::string> CookieSessionStore::load(std::string_view cookie, Time now) {
  auto data = sealer_.decrypt(name_, cookie, now);
  if (!data) return std::nullopt;
  return std::move(*data);
}

std::expected<std::string, SaveError> CookieSessionStore::save(std::string_view, std::string_view data, Renewal,
                                                               Time now) {
  std::string cookie = sealer_.encrypt(name_, data, now + life_time_);
  if (cookie.size() > kSealedBytesMax) return std::unexpected(SaveError::too_long);
  return cookie;
}

void CookieSessionStore::remove(std::string_view) {}

}  // namespace volt::http::cookies
