// Sessions: what a service remembers of a client from one request to the next.
//
//   app.use(http::sessions({.keys = http::CookieKeys({secret})}), http::csrf());
//
//   Task<Response> login(Form<Login> form, From<Session> session) {
//     ...
//     session->rotate();                               // whoever had planted or seen the old cookie has nothing
//     session->set("user", user.id);
//     co_return http::redirect("/");
//   }
//   std::optional<std::int64_t> user = session->get<std::int64_t>("user");
//
// With keys the data lies in the client's cookie, encrypted: nothing to keep on our side, but some 2 KiB at most, and
// what a client had before stays good until it ends, also after destroy(). Without, it lies in this process's memory
// under a random id: it ends when it is told to, and with the process.
//
// The cookie is written when the session has changed or half its idle time is over, together with `Cache-Control:
// private` if the answer says nothing of caches. Of requests at the same time, the last to be answered wins. The answer's
// head is where a session is saved: what a streamed body or a WebSocket does to it later is lost.
//
// Threads: the middleware, any; a Session, its request's task.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
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

class Session {
 public:
  // Empty if nothing of that name was set, or something that is no T.
  template <class T>
  [[nodiscard]] std::optional<T> get(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    auto value = from_json<T>(found->second);
    if (!value) return std::nullopt;
    return *std::move(value);
  }
  // Anything that can be JSON.
  template <class T>
  void set(std::string_view name, const T& value) {
    values_.insert_or_assign(std::string(name), to_json(value));
    changed_ = true;
  }
  // False if there was none.
  bool erase(std::string_view name);
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  // The same session under a new cookie: on login, and wherever rights change.
  void rotate() noexcept;
  // On logout: nothing of it is left, and the client is told to forget its cookie. What is set later begins another.
  void destroy() noexcept;

  // For a form's hidden field `csrf_token`; drawn when it is first asked for, and again after rotate(). See csrf().
  [[nodiscard]] const std::string& csrf_token();
  // Whether it is this session's; never if it has none. In constant time.
  [[nodiscard]] bool is_csrf_token(std::string_view token) const noexcept;

 private:
  friend class SessionManager;

  std::map<std::string, std::string, std::less<>> values_;  // name -> JSON
  std::string csrf_token_;
  bool changed_ = false;
  bool rotated_ = false;
  bool destroyed_ = false;
};

struct SessionOptions {
  std::optional<CookieKeys> keys = std::nullopt;  // see the head of this file
  std::string cookie = "__Host-session";
  SameSite same_site = SameSite::lax;
  bool secure = true;  // off only for plain HTTP in development, and with another name then
  std::chrono::seconds idle_time = std::chrono::hours(24);  // unused for so long, a session ends
  std::chrono::seconds life_time = std::chrono::days(7);    // and at this age in any case
  std::size_t sessions_max = 100'000;                       // in memory: beyond it, the one unused for longest ends
  std::size_t data_bytes_max = 16 * 1024;                   // in memory: of one session
};

// Provides a Session. Throws std::invalid_argument for a cookie that clients would drop. A session too large to be kept
// fails its request with std::length_error: a 500.
[[nodiscard]] Middleware sessions(SessionOptions options = {});

struct CsrfOptions {
  std::vector<std::string> trusted_origins = {};  // other sites that may: "https://admin.example.com"
  std::string header = "x-csrf-token";
  std::string field = "csrf_token";  // of a form (application/x-www-form-urlencoded)
};

// Refuses (403) requests that change something and that another site made its visitor's browser send. Stands further in
// than sessions(). GET, HEAD, OPTIONS and TRACE pass: they must not change anything.
//
// Browsers say where a request comes from: in Sec-Fetch-Site (Fetch Metadata), or in Origin, which must name our host.
// What says neither is an old browser, or none: it needs its session's csrf_token(), in the field or the header.
[[nodiscard]] Middleware csrf(CsrfOptions options = {});

}  // namespace volt::http
