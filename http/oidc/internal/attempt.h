// SPDX-License-Identifier: MIT

// Attempt: a login under way, between begin() and finish(). It is kept in an encrypted cookie of its own.
//
// The cookie's name ends in the `state` of the authorization request, and its value is sealed for that name. So a
// callback finds its attempt only in the browser that began it, with the `state` that it was begun with (RFC 9700
// section 4.7, cross-site request forgery), and logins in several tabs do not disturb each other.
//
// Rejected: the session. A login in each visitor's session would make a session for each visitor, sessions in memory
// would limit the number of logins under way, and the values of a second tab would replace those of the first, because
// of concurrent changes to a session the last one wins.
//
// Threads: values; Attempts is immutable.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/cookies/cookies.h"
#include "http/oidc/oidc_options.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::oidc {

// Returns a value for `state`: 128 random bits in base64url.
[[nodiscard]] std::string new_state();

struct Attempt {
  std::string nonce;
  std::string verifier;  // code_verifier: RFC 7636 section 4.1
  std::string return_to;
  std::optional<std::int64_t> max_age;  // in seconds, if the authorization request had it

  [[nodiscard]] static Attempt make(std::string return_to, std::optional<std::chrono::seconds> max_age);
  // code_challenge with the method S256: RFC 7636 section 4.2.
  [[nodiscard]] std::string challenge() const;
};

class Attempts {
 public:
  // Maximum number of attempts that a browser keeps, because its cookies are sent with every request.
  static constexpr std::size_t kPendingMax = 6;

  // `options` must outlive this object. Throws std::invalid_argument for a cookie that browsers would reject.
  explicit Attempts(const OidcOptions& options);

  // Adds the cookie of the attempt to `response`, and removes the oldest ones if `request` has too many.
  void save(const Attempt& attempt, std::string_view state, const Request& request, Response& response) const;
  [[nodiscard]] std::optional<Attempt> find(std::string_view state, const Request& request) const;
  // Returns the cookie that deletes the attempt's.
  [[nodiscard]] SetCookie spent(std::string_view state) const;

 private:
  [[nodiscard]] std::string name(std::string_view state) const;

  const OidcOptions& options_;
};

}  // namespace volt::http::oidc
