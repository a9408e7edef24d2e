// SPDX-License-Identifier: MIT

#include "http/middleware/auth.h"

#include "http/auth/bearer.h"
#include "http/auth/challenge.h"
#include "http/web/problem.h"

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
    auto claims = verifier_.verify(*token, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
    if (!claims) co_return scheme_.refuse(request, detail_of(claims.error()));
    request.put(*std::move(claims));
    co_return co_await next(request);
  }

 private:
  // Returns the description of an error for the client. It is specific only for faults that a legitimate client can
  // fix; more detail would help an attacker.
  static std::string_view detail_of(JwtError error) noexcept {
    if (error == JwtError::expired) return "the token has expired";
    if (error == JwtError::not_yet_valid) return "the token is not valid yet";
    return {};
  }

  JwtVerifier verifier_;
  auth::Scheme scheme_;
};

}  // namespace

Middleware jwt_auth(JwtVerifier verifier, const AuthOptions& options) {
  Middleware guard(CheckJwt(std::move(verifier), auth::Scheme::bearer(options)));
  guard.requires_credentials(Credentials::jwt);
  return provide<JwtClaims>(std::move(guard));
}

}  // namespace volt::http
