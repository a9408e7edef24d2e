// Middleware that wants to know who asks, and refuses others with a challenge (RFC 9110 section 11).
//
//   api.use(http::bearer_auth([](std::string_view token) -> Task<std::optional<User>> { ... }));
//   api.get("/me", [](From<User> user) { return user->name; });
//
// `check` says who it is: a std::optional<T>, or a Task of one. The T is put into the request, and the middleware is
// known to provide it; empty is refused. It is called by many workers at a time.
//
// Threads: factories, called while the app is built. What they make may run on any worker.
// Cost: one coroutine frame a request, the check, and the value that is put.
// Errors: 401 with WWW-Authenticate, as a problem. Factories throw std::invalid_argument for a realm that holds controls.
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
#include "http/web/argument.h"
#include "http/web/middleware.h"

namespace volt::http {

using auth::BasicCredentials;
using auth::JwtClaims;
using auth::JwtError;
using auth::JwtVerifier;

struct AuthOptions {
  std::string realm = "app";  // what the user is asked for: RFC 9110 section 11.5
};

namespace auth {

// What a scheme asks for, and how it says no.
class Scheme {
 public:
  static Scheme basic(const AuthOptions& options);
  static Scheme bearer(const AuthOptions& options);

  // There were no credentials of the scheme.
  [[nodiscard]] Response ask(const Request& request) const;
  // There were, and they are wrong.
  [[nodiscard]] Response refuse(const Request& request, std::string_view detail = {}) const;

 private:
  Scheme(std::string challenge, std::string refusal) noexcept
      : challenge_(std::move(challenge)), refusal_(std::move(refusal)) {}

  std::string challenge_;
  std::string refusal_;
};

[[nodiscard]] std::optional<BasicCredentials> basic_credentials(const Request& request);
[[nodiscard]] std::optional<std::string_view> bearer_token(const Request& request) noexcept;

// `Read` takes the request and gives what `Check` wants, if it is there.
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
      auto checking = check_(*credentials);
      user = co_await std::move(checking);
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

}  // namespace auth

// `check(const BasicCredentials&)`. Passwords are compared with BasicCredentials::equal, or by a slow hash (RFC 9106).
template <class Check>
[[nodiscard]] Middleware basic_auth(Check check, const AuthOptions& options = {}) {
  using Guard = auth::Guard<Check, auth::basic_credentials>;
  Middleware guard(Guard(std::move(check), auth::Scheme::basic(options)));
  guard.requires_credentials(Credentials::basic);
  return provide<typename Guard::User>(std::move(guard));
}

// `check(std::string_view token)`. Compare tokens in a time that says nothing, or look up their digests.
template <class Check>
[[nodiscard]] Middleware bearer_auth(Check check, const AuthOptions& options = {}) {
  using Guard = auth::Guard<Check, auth::bearer_token>;
  Middleware guard(Guard(std::move(check), auth::Scheme::bearer(options)));
  guard.requires_credentials(Credentials::bearer);
  return provide<typename Guard::User>(std::move(guard));
}

// A JSON Web Token as bearer token; provides JwtClaims. What the claims allow is for the handler to say.
[[nodiscard]] Middleware jwt_auth(JwtVerifier verifier, const AuthOptions& options = {});

}  // namespace volt::http
