// SPDX-License-Identifier: MIT

// Sessions: data that a service keeps about a client between requests.
//
//   app.use(http::sessions({.keys = http::CookieKeys({secret})}), http::csrf());
//
//   Task<Response> login(Form<Login> form, From<Session> session) {
//     ...
//     session->rotate();                               // an attacker who knows the old cookie gains nothing
//     session->set("user", user.id);
//     co_return http::redirect("/");
//   }
//   std::optional<std::int64_t> user = session->get<std::int64_t>("user");
//
// With keys (SessionOptions::keys), the data is stored encrypted in the client's cookie: the server keeps nothing, and
// the size is limited to about 2 KiB. An old cookie stays valid until it expires, even after destroy(): a client that
// kept a copy is logged in again. There is no list of revoked cookies, because all processes would have to share it, so
// it would itself be a session store. Where revocation matters, keep in your database a number that changes when the
// user logs out, and compare it with a copy in the session; or use sessions without keys.
//
// Without keys, the data is stored in this process's memory under a random id. It is deleted by destroy(), when it
// expires, or when the process ends; a hot restart hands it over to the replacement process. With a store
// (SessionOptions::store), it is stored in a database that several processes share (http/cookies/session_store.h).
//
// A client for which no value was set has no session. Its CSRF token is then kept in a separate signed cookie, whose
// name is that of the session's cookie followed by "-csrf". So clients that are not logged in take no memory of the
// server.
//
// The cookie is written when the session has changed or when half its idle time is over. A response that gets the
// cookie and has no Cache-Control also gets `Cache-Control: private`; one for which the CSRF token was asked is private
// in any case. If concurrent requests change a session, the
// request that completes last overwrites the changes of the others. A session is saved with the response's head: later
// changes by a streamed body or a WebSocket are lost.
//
// Threads: the middleware may run on any worker; a Session belongs to its request's task.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/cookies/cookie_keys.h"
#include "http/cookies/cookies.h"
#include "http/json/json.h"
#include "http/web/middleware.h"

namespace volt::http {

class SessionStore;

class Session {
 public:
  // Returns the value of that name; none if it was not set or is not a T.
  template <class T>
  [[nodiscard]] std::optional<T> get(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    auto value = from_json<T>(found->second);
    if (!value) return std::nullopt;
    return *std::move(value);
  }
  // Sets a value of any type that can be written as JSON.
  template <class T>
  void set(std::string_view name, const T& value) {
    values_.insert_or_assign(std::string(name), to_json(value));
    changed_ = true;
  }
  // Removes the value of that name. Returns false if there was none.
  bool erase(std::string_view name);
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  // Continues the session under a new cookie. Must be called on login, and wherever the user's rights change.
  void rotate() noexcept;
  // Deletes the session and the client's cookie. Must be called on logout. Values that are set later begin another
  // session.
  void destroy() noexcept;

  // Returns the token for a form's hidden field `csrf_token`; generated on first use, and again after rotate(). It is
  // kept in the session, or in a signed cookie if the session has no values. See csrf().
  [[nodiscard]] const std::string& csrf_token();
  // Returns whether `token` is this session's token; false if the session has none. Takes constant time.
  [[nodiscard]] bool is_csrf_token(std::string_view token) const noexcept;

 private:
  friend class SessionManager;

  void forget_csrf_token() noexcept;

  std::map<std::string, std::string, std::less<>> values_;  // name -> JSON
  std::string csrf_token_;
  bool token_requested_ = false;
  bool token_generated_ = false;
  bool changed_ = false;
  bool rotated_ = false;
  bool destroyed_ = false;
};

struct SessionOptions {
  std::optional<CookieKeys> keys = std::nullopt;  // none: sessions are kept in memory; see the head of this file
  std::string cookie = "__Host-session";
  SameSite same_site = SameSite::lax;
  bool secure = true;  // false only for plain HTTP in development; the name must then lack "__Host-"
  // A session unused for this long ends. A `store` has a time of its own, which must be equal.
  std::chrono::seconds idle_time = std::chrono::hours(24);
  std::chrono::seconds life_time = std::chrono::days(7);  // a session of this age ends in any case
  // Maximum number of sessions in memory. Beyond it, the least recently used session ends, but never one on which
  // rotate() was called. If rotate() was called on all of them, that is, if `sessions_max` users are logged in, a
  // request that begins a session gets 503.
  std::size_t sessions_max = 100'000;
  std::size_t data_bytes_max = 16 * 1024;  // maximum size of a session in memory
  // Where sessions are kept; has its own idle time and sizes. Needs keys, which then only sign the cookie of the CSRF
  // token, so that each process accepts those of the others.
  std::shared_ptr<SessionStore> store = nullptr;
};

// Provides a Session. Throws std::invalid_argument for a cookie that clients would reject, and for a store without
// keys. If a session is too large to be stored, its request fails with std::length_error, which becomes a 500; so does
// a request that passes through two of these middlewares, whose values would mix.
[[nodiscard]] Middleware sessions(SessionOptions options = {});

struct CsrfOptions {
  std::vector<std::string> trusted_origins = {};  // other sites that may send requests: "https://admin.example.com"
  std::string header = "x-csrf-token";
  std::string field = "csrf_token";  // form field (application/x-www-form-urlencoded)
};

// Protects against cross-site request forgery: refuses (403) state-changing requests that another site made the user's
// browser send. List it after sessions(). GET, HEAD, OPTIONS and TRACE pass: their handlers must not change anything.
//
// Browsers report a request's origin in Sec-Fetch-Site (Fetch Metadata), or in Origin, which must name this server's
// host and scheme. Behind a proxy that terminates TLS, the scheme is that of X-Forwarded-Proto, which no other site can
// make a browser send; if the proxy does not set it, list the https origin in trusted_origins. A request with neither
// field comes from an old browser or another client: it needs its session's csrf_token() in the form field or the
// header.
[[nodiscard]] Middleware csrf(CsrfOptions options = {});

}  // namespace volt::http
