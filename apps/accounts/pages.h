// SPDX-License-Identifier: MIT

// The HTML pages, as templates (docs/html.md). They need no script, each field has a label, and errors are announced
// (role "alert").
//
// Threads: pure functions.
#pragma once

#include <http/http.h>

#include <optional>
#include <string_view>
#include <vector>

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

[[nodiscard]] volt::http::Response home_page(const std::optional<User>& user, std::string_view csrf_token);
[[nodiscard]] volt::http::Response login_page(const FormPage& form, volt::http::Status status = volt::http::Status::ok);
[[nodiscard]] volt::http::Response sign_up_page(const FormPage& form,
                                                volt::http::Status status = volt::http::Status::ok);
[[nodiscard]] volt::http::Response sessions_page(const User& user, const std::vector<Login>& logins,
                                                 std::string_view csrf_token);
[[nodiscard]] volt::http::Response users_page(const User& user, const std::vector<Listed>& users,
                                              std::string_view csrf_token);
[[nodiscard]] volt::http::Response error_page(std::string_view title, std::string_view detail,
                                              volt::http::Status status);

[[nodiscard]] volt::http::Response style_sheet();

}  // namespace accounts
