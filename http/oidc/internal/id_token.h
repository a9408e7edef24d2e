// SPDX-License-Identifier: MIT

// The validation of ID tokens (OpenID Connect Core sections 3.1.3.7, 3.1.3.8 and 12.2). The signature, iss, aud, exp,
// nbf and iat are checked by RemoteKeys; this is the rest.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/auth/jwt.h"
#include "http/oidc/oidc_options.h"

namespace volt::http::oidc {

// The values that the ID token of a login must fit.
struct IdTokenRules {
  std::string_view client_id;
  std::optional<std::string_view> nonce;        // none for the token of a refresh, which need not have one
  std::optional<std::string_view> subject;      // none at login; of a refresh, that of the login
  std::optional<std::chrono::seconds> max_age;  // if the authorization request had it
  std::chrono::seconds leeway;
};

// Returns the algorithm of the token's header, if it is allowed. The error is a sentence for the log, also below.
[[nodiscard]] std::expected<auth::JwtAlgorithm, std::string> algorithm_of(std::string_view token,
                                                                          const OidcOptions& options);

// Checks the claims of a token whose signature, algorithm and RemoteKeys' claims have been verified.
[[nodiscard]] std::expected<void, std::string> check_id_token(const auth::JwtClaims& claims,
                                                              auth::JwtAlgorithm algorithm,
                                                              std::string_view access_token, const IdTokenRules& rules,
                                                              std::chrono::sys_seconds now);

// Returns at_hash of an access token: section 3.1.3.6.
[[nodiscard]] std::string access_token_hash(std::string_view access_token, auth::JwtAlgorithm algorithm);

[[nodiscard]] std::string_view to_sentence(auth::JwtError error) noexcept;

}  // namespace volt::http::oidc
