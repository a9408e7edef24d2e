// SPDX-License-Identifier: MIT

// OidcFailure: the exception of a login by OpenID Connect that did not succeed.
//
//   app.on_error([](const http::OidcFailure& failure) { return login_page(failure.detail()); });
//
// It is a Problem, so without on_error() it becomes an error response with the status below. The text for the client
// reveals nothing about the provider's configuration; the log has the cause (module `oidc`).
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "http/web/problem.h"

namespace volt::http {

enum class OidcError : std::uint8_t {
  unavailable,    // 503: the provider cannot be reached, is late, or responds with 429 or 5xx
  bad_provider,   // 502: the provider's metadata or response is invalid, or it refuses this client or its request
  bad_token,      // 502: the ID token is not valid for this login
  unknown_login,  // 400: the browser has not begun this login, or too long ago
  refused_code,   // 400: the code has expired or was used before, as by the browser's button "back"
  refused_login,  // 403: the user, or the provider's policy, refused the login
};

class OidcFailure : public Problem {
 public:
  OidcFailure(OidcError error, std::string detail);

  [[nodiscard]] OidcError error() const noexcept { return error_; }

 private:
  OidcError error_;
};

}  // namespace volt::http
