// SPDX-License-Identifier: MIT

// The HTML pages. They need no script, each field has a label, and errors are announced (role "alert").
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "apps/accounts/html.h"
#include "apps/accounts/store.h"

namespace accounts {

// The values that a page with forms needs.
struct FormPage {
  std::string_view csrf_token;
  std::string_view error = {};      // a sentence; empty: none
  std::string_view name = {};       // the name that the user has entered
  std::string_view return_to = {};  // where the login leads; empty: to the first page
  bool has_oidc = false;            // whether to offer the login by OpenID Connect
};

[[nodiscard]] Html home_page(const std::optional<User>& user, std::string_view csrf_token);
[[nodiscard]] Html login_page(const FormPage& form);
[[nodiscard]] Html sign_up_page(const FormPage& form);
[[nodiscard]] Html sessions_page(const User& user, const std::vector<Login>& logins, std::string_view csrf_token);
[[nodiscard]] Html users_page(const User& user, const std::vector<Listed>& users, std::string_view csrf_token);
[[nodiscard]] Html error_page(std::string_view title, std::string_view detail);

[[nodiscard]] volt::http::Response style_sheet();

}  // namespace accounts
