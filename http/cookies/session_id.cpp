// SPDX-License-Identifier: MIT

#include "http/cookies/session_id.h"

#include <array>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "crypto/random.h"

namespace volt::http::cookies {
namespace {

constexpr std::size_t kRandomBytes = 16;

}  // namespace

std::string new_session_cookie() {
  std::array<std::byte, kRandomBytes> bytes;
  crypto::fill_random(bytes);
  return crypto::base64url_encode(bytes);
}

std::optional<std::string> session_name(std::string_view cookie) {
  constexpr std::size_t characters = (kRandomBytes * 8 + 5) / 6;
  if (cookie.size() != characters || !crypto::base64url_decode(cookie)) return std::nullopt;
  return crypto::base64url_encode(crypto::sha256(cookie));
}

}  // namespace volt::http::cookies
