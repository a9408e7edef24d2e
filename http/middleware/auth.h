// SPDX-License-Identifier: MIT

// Middleware that authenticates the user and refuses other requests with a challenge (RFC 9110 section 11).
//
//   api.use(http::bearer_auth([](std::string_view token) -> Task<std::optional<User>> { ... }));
//   api.get("/me", [](From<User> user) { return user->name; });
//
// `check` returns the authenticated user: a std::optional<T>, or a Task<std::optional<T>>. The middleware puts the T
// into the request, where From<T> finds it. If the optional is empty, the request is refused. Several workers may call
// `check` at once.
//
// Threads: the factories are called while the app is built. The middleware may run on any worker.
// Cost: one coroutine frame per request, the check, and the value that is put into the request.
// Errors: 401 with WWW-Authenticate, or 403, as a problem. The factories throw std::invalid_argument for a realm that
// contains control characters.
// Source: RFC 7617 (Basic), RFC 6750 (Bearer), RFC 7519 (JWT).
#pragma once

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/auth/basic.h"
#include "http/auth/jwt.h"
#include "http/json/json.h"
#include "http/web/argument.h"
#include "http/web/middleware.h"

namespace volt::http {

using auth::BasicCredentials;
using auth::JwtClaims;
using auth::JwtError;
using auth::JwtVerifier;

struct AuthOptions {
  std::string realm = "app";  // shown to the user: RFC 9110 section 11.5
};

namespace auth {

// The responses of an authentication scheme to requests that it does not accept.
class Scheme {
 public:
  static Scheme basic(const AuthOptions& options);
  static Scheme bearer(const AuthOptions& options);

  // The response to a request without credentials of the scheme.
  [[nodiscard]] Response ask(const Request& request) const;
  // The response to a request with wrong credentials.
  [[nodiscard]] Response refuse(const Request& request, std::string_view detail = {}) const;
  // The response to a token that a JwtVerifier does not accept. It describes only the faults that an honest client can
  // mend; more would help an attacker.
  [[nodiscard]] Response refuse(const Request& request, JwtError error) const;

 private:
  Scheme(std::string challenge, std::string refusal) noexcept
      : challenge_(std::move(challenge)), refusal_(std::move(refusal)) {}

  std::string challenge_;
  std::string refusal_;
};

[[nodiscard]] std::optional<BasicCredentials> basic_credentials(const Request& request);
[[nodiscard]] std::optional<std::string_view> bearer_token(const Request& request) noexcept;

// The middleware of basic_auth() and bearer_auth(). `read` extracts the credentials from the request; it returns an
// empty optional if they are missing. `check` receives the credentials.
template <class Check, auto read>
class Guard {
 public:
  using Credentials = typename decltype(read(std::declval<const Request&>()))::value_type;
  using Result = std::invoke_result_t<Check&, const Credentials&>;
  using User = typename web::TaskOf<Result>::Value::value_type;

  Guard(Check check, Scheme scheme) : check_(std::move(check)), scheme_(std::move(scheme)) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<Credentials> credentials = read(request);
    if (!credentials) co_return scheme_.ask(request);
    std::optional<User> user;
    if constexpr (web::TaskOf<Result>::value) {
      user = co_await check_(*credentials);
    } else {
      user = check_(*credentials);
    }
    if (!user) co_return scheme_.refuse(request);
    request.put(*std::move(user));
    co_return co_await next(request);
  }

 private:
  Check check_;
  Scheme scheme_;
};

// The middleware of jwt_claims().
template <class Claims>
Task<Response> provide_claims(Request& request, Next next, const Scheme& scheme) {
  auto claims = from_json<Claims>(request.get<JwtClaims>().payload);
  if (!claims) co_return scheme.refuse(request);
  request.put(*std::move(claims));
  co_return co_await next(request);
}

}  // namespace auth

// Returns middleware for HTTP Basic, which calls `check(const BasicCredentials&)`. `check` must compare passwords with
// BasicCredentials::equal, or by a slow hash (RFC 9106).
template <class Check>
[[nodiscard]] Middleware basic_auth(Check check, const AuthOptions& options = {}) {
  using Guard = auth::Guard<Check, auth::basic_credentials>;
  Middleware guard(Guard(std::move(check), auth::Scheme::basic(options)));
  guard.requires_credentials(Credentials::basic);
  return provide<typename Guard::User>(std::move(guard));
}

// Returns middleware for bearer tokens, which calls `check(std::string_view token)`. `check` must compare tokens in
// constant time, or look up their digests.
template <class Check>
[[nodiscard]] Middleware bearer_auth(Check check, const AuthOptions& options = {}) {
  using Guard = auth::Guard<Check, auth::bearer_token>;
  Middleware guard(Guard(std::move(check), auth::Scheme::bearer(options)));
  guard.requires_credentials(Credentials::bearer);
  return provide<typename Guard::User>(std::move(guard));
}

// Returns middleware for JSON Web Tokens, which clients send as bearer tokens. It provides JwtClaims. The handler, or
// require_scope() and require_role(), must decide what the claims permit. JwtVerifier has fixed keys; RemoteKeys
// (http/jwks/remote_keys.h) has those that an identity provider publishes.
[[nodiscard]] Middleware jwt_auth(JwtVerifier verifier, const AuthOptions& options = {});

// Returns middleware that also provides `Claims`, a struct that from_json() reads from the token's payload. A token
// whose payload does not have that form gets 401. List it after jwt_auth().
//
//   struct Staff { std::string sub; std::string department; };
//   api.use(http::jwt_auth(verifier), http::jwt_claims<Staff>());
//   api.get("/me", [](From<Staff> staff) { return staff->department; });
template <class Claims>
[[nodiscard]] Middleware jwt_claims(const AuthOptions& options = {}) {
  const auto read = [scheme = auth::Scheme::bearer(options)](Request& request, Next next) {
    return auth::provide_claims<Claims>(request, next, scheme);
  };
  return provide<Claims>(Middleware(read));
}

// These functions return middleware that refuses tokens without the scope, or the role, with 403 and a challenge that
// names the scope (RFC 6750 section 3.1). List it after jwt_auth(); without JwtClaims the response is 500. They throw
// std::invalid_argument for a scope that is not a scope-token (RFC 6749 section 3.3), and for an empty role.
[[nodiscard]] Middleware require_scope(std::string scope, const AuthOptions& options = {});
[[nodiscard]] Middleware require_role(std::string role);

}  // namespace volt::http
