// SPDX-License-Identifier: MIT

// The app: accounts with passwords or a login at an OpenID provider, pages for people, and a JSON API.
#pragma once

#include <http/http.h>
#include <http/middleware/passwords.h>
#include <http/oidc/oidc_client.h>

#include <optional>
#include <string>

#include "apps/accounts/store.h"

namespace accounts {

struct Options {
  volt::http::CookieKeys keys;
  volt::http::PasswordOptions passwords = {};
  std::optional<volt::http::OidcClient> oidc = std::nullopt;
  // The first admin, who is added if there is no user of that name; an empty password: none is added.
  std::string admin = "admin";
  std::string admin_password = {};
  bool secure = true;              // false only for plain HTTP in development: cookies are then sent without TLS
  std::uint32_t login_burst = 10;  // logins and sign-ups at once, of each client address; then one in 6 seconds
};

[[nodiscard]] volt::http::App make_app(const Store& store, Options options);

}  // namespace accounts
