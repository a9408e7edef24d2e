// SPDX-License-Identifier: MIT

// Middleware that admits clients with an API key or a session, and users with a right.
//
//   api.use(http::api_key_auth([](std::string_view key) -> Task<std::optional<Client>> { ... }));
//
//   app.use(http::sessions());
//   auto members = app.group("/members");
//   members.use(http::session_auth([](const Session& session) { return session.get<User>("user"); }));
//   auto admins = members.group("/admin");
//   admins.use(http::permit<User>([](const User& user) { return user.admin; }));     // 403 for other users
//
// Like those of http/middleware/auth.h, the checks return the authenticated user: a std::optional<T>, or a
// Task<std::optional<T>>. The middleware puts the T into the request, where From<T> finds it. The OpenAPI document has
// the credentials as apiKey, and the responses 401 and 403.
//
// Threads: the factories are called while the app is built. The middleware, and its check, may run on any worker.
// Errors: 401 with WWW-Authenticate, or 403, as a problem; a redirect with SessionAuthOptions::login_page. The
// factories throw std::invalid_argument for the name of a header field or a cookie that is not a token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/middleware/session.h"
#include "http/web/argument.h"
#include "http/web/middleware.h"

namespace volt::http {

struct ApiKeyOptions {
  std::string name = "x-api-key";  // of the header field, or the cookie
  bool in_cookie = false;
};

struct SessionAuthOptions {
  std::string cookie = "__Host-session";  // that of SessionOptions, for the challenge and the OpenAPI document
  // For pages: a path to which visitors are redirected (303), instead of 401. It must not need a session itself. The
  // OpenAPI document then has no credentials for these routes.
  std::string login_page = {};
};

namespace access {

// The place of the credentials in a request, and the response to requests without the right ones.
class Source {
 public:
  explicit Source(const ApiKeyOptions& options);
  explicit Source(const SessionAuthOptions& options);

  [[nodiscard]] std::optional<std::string_view> key(const Request& request) const noexcept;
  [[nodiscard]] Response refuse(const Request& request) const;
  void declare(Middleware& middleware) const;

 private:
  std::string name_;
  bool in_cookie_;
  std::string challenge_;
  std::string login_page_;  // empty: the response is 401
};

[[nodiscard]] Response forbid(const Request& request);

template <class Check, class Read>
class Gate {
 public:
  using Result = std::invoke_result_t<Check&, typename Read::Given>;
  using User = typename web::TaskOf<Result>::Value::value_type;

  Gate(Check check, Source source) : check_(std::move(check)), source_(std::move(source)) {}

  Task<Response> operator()(Request& request, Next next) {
    const auto given = Read::from(source_, request);
    if (!given) co_return source_.refuse(request);
    std::optional<User> user;
    if constexpr (web::TaskOf<Result>::value) {
      user = co_await check_(*given);
    } else {
      user = check_(*given);
    }
    if (!user) co_return source_.refuse(request);
    request.put(*std::move(user));
    co_return co_await next(request);
  }

 private:
  Check check_;
  Source source_;
};

struct ReadKey {
  using Given = std::string_view;
  static std::optional<std::string_view> from(const Source& source, const Request& request) noexcept {
    return source.key(request);
  }
};

struct ReadSession {
  using Given = const Session&;
  static const Session* from(const Source&, const Request& request) { return &request.get<Session>(); }
};

template <class T, class Permits>
class Permission {
 public:
  explicit Permission(Permits permits) : permits_(std::move(permits)) {}

  Task<Response> operator()(Request& request, Next next) {
    if (!permits_(std::as_const(request.get<T>()))) co_return forbid(request);
    co_return co_await next(request);
  }

 private:
  Permits permits_;
};

template <class Read, class Check>
Middleware gate(Check check, Source source) {
  Middleware middleware(Gate<Check, Read>(std::move(check), source));
  source.declare(middleware);
  return provide<typename Gate<Check, Read>::User>(std::move(middleware));
}

}  // namespace access

// Returns middleware that calls `check(std::string_view key)`. `check` must compare keys in constant time, or look up
// their digests. A key in a query is not supported, because logs contain queries.
template <class Check>
[[nodiscard]] Middleware api_key_auth(Check check, const ApiKeyOptions& options = {}) {
  return access::gate<access::ReadKey>(std::move(check), access::Source(options));
}

// Returns middleware that calls `check(const Session&)`. List it after sessions(); without a Session the response is
// 500.
template <class Check>
[[nodiscard]] Middleware session_auth(Check check, const SessionAuthOptions& options = {}) {
  return access::gate<access::ReadSession>(std::move(check), access::Source(options));
}

// Returns middleware that refuses a request with 403 unless `permits(const T&)` returns true for the T that other
// middleware has put into the request. List it after that middleware; without a T the response is 500.
template <class T, class Permits>
[[nodiscard]] Middleware permit(Permits permits) {
  static_assert(std::is_invocable_r_v<bool, Permits&, const T&>, "permits(const T&) returns a bool");
  Middleware middleware(access::Permission<T, Permits>(std::move(permits)));
  return std::move(middleware.refuses(Status::forbidden));
}

}  // namespace volt::http
