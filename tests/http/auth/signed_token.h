// SPDX-License-Identifier: MIT

// Makes tokens for tests, because JwtVerifier makes none.
#pragma once

#include <string>
#include <string_view>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/hmac.h"

namespace volt::http::auth {

inline constexpr std::string_view kTestSecret = "a secret of the tests, of 64 bytes, as HS512 wants to have it...";

inline std::string encoded(std::string_view text) { return crypto::base64url_encode(crypto::as_bytes(text)); }

// Signed with kTestSecret by HMAC-SHA256, regardless of the header.
inline std::string signed_token(std::string_view header, std::string_view payload) {
  const std::string data = encoded(header) + "." + encoded(payload);
  return data + "." +
         crypto::base64url_encode(crypto::hmac_sha256(crypto::as_bytes(kTestSecret), crypto::as_bytes(data)));
}

}  // namespace volt::http::auth
