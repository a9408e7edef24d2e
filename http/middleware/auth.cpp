// SPDX-License-Identifier: MIT

#include "http/middleware/auth.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "http/auth/bearer.h"
#include "http/auth/challenge.h"
#include "http/web/problem.h"
#include "runtime/wall_clock.h"

namespace volt::http {
namespace auth {
namespace {

Response refusal(const Request& request, const std::string& challenge, std::string_view detail) {
  Problem problem = unauthorized(std::string(detail));
  problem.header("WWW-Authenticate", challenge);
  return problem.to_response(request.id());
}

}  // namespace

Scheme Scheme::basic(const AuthOptions& options) {
  std::string challenge = basic_challenge(options.realm).text();
  return Scheme(challenge, challenge);
}

// RFC 6750 section 3.1: a request without a token gets a challenge without an error code.
Scheme Scheme::bearer(const AuthOptions& options) {
  Challenge challenge("Bearer");
  challenge.parameter("realm", options.realm);
  Challenge refused = challenge;
  refused.parameter("error", "invalid_token");
  return Scheme(challenge.text(), refused.text());
}

Response Scheme::ask(const Request& request) const { return refusal(request, challenge_, {}); }

Response Scheme::refuse(const Request& request, std::string_view detail) const {
  return refusal(request, refusal_, detail);
}

Response Scheme::refuse(const Request& request, JwtError error) const {
  if (error == JwtError::no_keys) return unavailable("the keys for tokens are unavailable").to_response(request.id());
  if (error == JwtError::expired) return refuse(request, "the token has expired");
  if (error == JwtError::not_yet_valid) return refuse(request, "the token is not valid yet");
  return refuse(request);
}

std::optional<BasicCredentials> basic_credentials(const Request& request) {
  const auto field = request.header("authorization");
  return field ? parse_basic(*field) : std::nullopt;
}

std::optional<std::string_view> bearer_token(const Request& request) noexcept {
  const auto field = request.header("authorization");
  return field ? parse_bearer(*field) : std::nullopt;
}

}  // namespace auth

namespace {

class CheckJwt {
 public:
  CheckJwt(JwtVerifier verifier, auth::Scheme scheme) : verifier_(std::move(verifier)), scheme_(std::move(scheme)) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<std::string_view> token = auth::bearer_token(request);
    if (!token) co_return scheme_.ask(request);
    auto claims = verifier_.verify(*token, wall_second());
    if (!claims) co_return scheme_.refuse(request, claims.error());
    request.put(*std::move(claims));
    co_return co_await next(request);
  }

 private:
  JwtVerifier verifier_;
  auth::Scheme scheme_;
};

// scope-token of RFC 6749 section 3.3.
bool is_scope(std::string_view text) noexcept {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

// Refuses requests whose claims lack `want` in the list `granted`.
class RequireGrant {
 public:
  RequireGrant(std::vector<std::string> JwtClaims::* granted, std::string want, std::string challenge)
      : granted_(granted), want_(std::move(want)), challenge_(std::move(challenge)) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::vector<std::string>& granted = request.get<JwtClaims>().*granted_;
    if (std::ranges::find(granted, want_) == granted.end()) co_return refuse(request);
    co_return co_await next(request);
  }

 private:
  [[nodiscard]] Response refuse(const Request& request) const {
    Problem problem = forbidden();
    if (!challenge_.empty()) problem.header("WWW-Authenticate", challenge_);
    return problem.to_response(request.id());
  }

  std::vector<std::string> JwtClaims::* granted_;
  std::string want_;
  std::string challenge_;
};

}  // namespace

Middleware jwt_auth(JwtVerifier verifier, const AuthOptions& options) {
  Middleware guard(CheckJwt(std::move(verifier), auth::Scheme::bearer(options)));
  guard.requires_credentials(Credentials::jwt);
  return provide<JwtClaims>(std::move(guard));
}

Middleware require_scope(std::string scope, const AuthOptions& options) {
  if (!is_scope(scope)) throw std::invalid_argument("require_scope: '" + scope + "' is not a scope (RFC 6749)");
  auth::Challenge challenge("Bearer");
  challenge.parameter("realm", options.realm).parameter("error", "insufficient_scope").parameter("scope", scope);
  Middleware middleware(RequireGrant(&JwtClaims::scopes, scope, challenge.text()));
  return std::move(middleware.requires_permission(std::move(scope)));
}

Middleware require_role(std::string role) {
  if (role.empty()) throw std::invalid_argument("require_role: the role is empty");
  Middleware middleware(RequireGrant(&JwtClaims::roles, role, {}));
  return std::move(middleware.requires_permission(std::move(role)));
}

}  // namespace volt::http
