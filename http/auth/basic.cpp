// SPDX-License-Identifier: MIT

#include "http/auth/basic.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/constant_time_equal.h"
#include "crypto/secret_bytes.h"
#include "http/auth/internal/scheme.h"

namespace volt::http::auth {
namespace {

bool is_control(char c) noexcept { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f; }

}  // namespace

bool BasicCredentials::equal(std::string_view right_user, std::string_view right_password) const {
  const bool user_right = crypto::equal_passwords(user, right_user);
  const bool password_right = crypto::equal_passwords(password, right_password);
  return user_right & password_right;  // Both are always compared.
}

std::optional<BasicCredentials> parse_basic(std::string_view authorization) {
  const auto encoded = credentials_of("basic", authorization);
  auto decoded = encoded ? crypto::base64_decode(*encoded) : std::nullopt;
  if (!decoded) return std::nullopt;
  const std::string_view text = crypto::as_text(*decoded);
  const std::size_t colon = text.find(':');
  std::optional<BasicCredentials> credentials;
  if (colon != std::string_view::npos && std::ranges::none_of(text, is_control))
    credentials.emplace(std::string(text.substr(0, colon)), std::string(text.substr(colon + 1)));
  crypto::wipe(*decoded);
  return credentials;
}

}  // namespace volt::http::auth
