// SPDX-License-Identifier: MIT

// TestCookies: the cookies that a TestClient or a TestBrowser keeps between requests, by the rules of browsers (RFC
// 6265 section 5).
//
//   client.keep_cookies();
//   client.post("/login").form({{"name", "ann"}, {"password", "secret"}}).send();
//   CHECK(client.cookies().find("session"));
//   client.cookies().clear();                         // the user closes the browser
//
// A cookie is sent to the host that set it, or to the hosts of its Domain; to its Path and below; and until its Max-Age
// or Expires has passed by the clock of the app (TestClock). A Secure cookie is sent over https only. The requests of a
// test count as https if their field X-Forwarded-Proto is `https`, as behind a proxy that ends TLS. Without this field,
// those to `test`, the host of each request that has no Host of its own, and to `localhost` count as https, too, as
// browsers trust localhost. SameSite is not evaluated: requests of other sites (TestRequest::cross_site()) carry the
// cookies, so that a test shows that the server itself refuses them. There is no list of public suffixes: a Domain
// without a dot is refused unless it is the host.
//
// Threads: the test's thread.
// Errors: a Set-Cookie field that browsers ignore fails the request with TestFailure, which names the rule, because a
// browser would only show it by a login that does not last.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http {

namespace testing {

// The part of a request that decides which cookies it carries.
struct CookieTarget {
  std::string host;  // without a port, in lower case
  std::string path;  // without the query
  bool secure = false;
};

// Returns the target of a request with this Host field, request target, and X-Forwarded-Proto field (empty: none).
[[nodiscard]] CookieTarget cookie_target(std::string_view host, std::string_view target, std::string_view proto);

}  // namespace testing

struct TestCookie {
  std::string name;
  std::string value;
  std::string domain;  // the host, or the value of Domain
  bool host_only = true;
  std::string path;
  std::optional<std::chrono::sys_seconds> expires;  // none: at the end of the browser's session
  bool secure = false;
  bool http_only = false;

  bool operator==(const TestCookie&) const = default;
};

class TestCookies {
 public:
  // Returns the value of the cookie with this name; of several, that of the longest path. Valid until the cookies
  // change. A cookie that has expired is found until the next request.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  // The cookies, in the order in which they are sent.
  [[nodiscard]] const std::vector<TestCookie>& all() const noexcept { return cookies_; }
  // Adds a cookie, or replaces the one with the same name, domain and path.
  void set(TestCookie cookie);
  // Removes the cookies with this name.
  void erase(std::string_view name) noexcept;
  void clear() noexcept { cookies_.clear(); }

  // For TestRequest: stores the cookie of a Set-Cookie field. Throws TestFailure if browsers ignore it.
  void receive(std::string_view set_cookie, const testing::CookieTarget& target, std::chrono::sys_seconds now);
  // For TestRequest: removes the cookies that have expired, and returns those for the target.
  [[nodiscard]] std::vector<TestCookie> for_request(const testing::CookieTarget& target, std::chrono::sys_seconds now);

 private:
  std::vector<TestCookie> cookies_;  // longer paths first, then in the order of their creation
};

}  // namespace volt::http
