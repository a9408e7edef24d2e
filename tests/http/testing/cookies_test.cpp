// SPDX-License-Identifier: MIT

#include "http/testing/cookies.h"

#include <doctest/doctest.h>

#include "http/testing/response.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using testing::cookie_target;
using testing::CookieTarget;

constexpr std::chrono::sys_seconds kNow(1'800'000'000s);

// The Cookie line for the target.
std::string line_for(TestCookies& cookies, const CookieTarget& target, std::chrono::sys_seconds now = kNow) {
  std::string line;
  for (const TestCookie& cookie : cookies.for_request(target, now)) {
    line.append(line.empty() ? "" : "; ").append(cookie.name).append("=").append(cookie.value);
  }
  return line;
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/cookies");

TEST_CASE("a cookie is sent where and as long as its attributes say") {
  const CookieTarget shop = cookie_target("Shop.example:8443", "/cart/add?n=1", "https");
  const struct {
    std::string_view why, field;
    CookieTarget target;
    std::chrono::seconds later;
    std::string_view want;
  } cases[] = {
      {"to the host that set it", "a=1", shop, 0s, "a=1"},
      {"not to a host below it", "a=1", cookie_target("www.shop.example", "/cart/", "https"), 0s, ""},
      {"a Domain includes hosts below", "a=1; Domain=.shop.EXAMPLE", cookie_target("www.shop.example", "/cart/x", ""),
       0s, "a=1"},
      {"a Domain excludes hosts that end alike", "a=1; Domain=shop.example",
       cookie_target("workshop.example", "/cart/", ""), 0s, ""},
      {"by default, to the folder of the path", "a=1", cookie_target("shop.example", "/cart", ""), 0s, "a=1"},
      {"not above it", "a=1", cookie_target("shop.example", "/", ""), 0s, ""},
      {"not beside it", "a=1; Path=/ca", shop, 0s, ""},
      {"below Path", "a=1; path=/", cookie_target("shop.example", "/x/y", ""), 0s, "a=1"},
      {"a relative Path is the default one", "a=1; Path=x", shop, 0s, "a=1"},
      {"Secure over https", "a=1; secure", shop, 0s, "a=1"},
      {"not Secure over http", "a=1; Secure", cookie_target("shop.example", "/cart/", ""), 0s, ""},
      {"before Max-Age", "a=1; Max-Age=60", shop, 59s, "a=1"},
      {"not after it", "a=1; Max-Age=60", shop, 60s, ""},
      {"Max-Age precedes Expires", "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", shop, 0s, "a=1"},
      {"a malformed Max-Age does not", "a=1; Max-Age=6x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", shop, 0s, ""},
      {"an age beyond 400 days", "a=1; Max-Age=99999999999999999999", shop, 24h * 399, "a=1"},
      {"is 400 days", "a=1; Max-Age=99999999999999999999", shop, 24h * 400, ""},
      {"an age below all numbers", "a=1; Max-Age=-99999999999999999999", shop, 0s, ""},
      {"Expires in the past", "a=1; Expires=Fri, 15-Jan-2027 07:59:59 GMT", shop, 0s, ""},
      {"Expires in the future", "a=1; Expires=Fri, 15-Jan-2027 08:00:01 GMT", shop, 0s, "a=1"},
      {"a malformed Expires", "a=1; Expires=tomorrow", shop, 24h * 1000, "a=1"},
      {"spaces and unknown attributes", " a = 1 ; SameSite=Strict; x", shop, 0s, "a=1"},
      {"a value with '='", "a=1=2", shop, 0s, "a=1=2"},
      {"__Host-", "__Host-a=1; Secure; Path=/", shop, 0s, "__Host-a=1"},
  };
  for (const auto& [why, field, target, later, want] : cases) {
    CAPTURE(why);
    TestCookies cookies;
    cookies.receive(field, shop, kNow);
    CHECK(line_for(cookies, target, kNow + later) == want);
  }
}

TEST_CASE("a cookie that browsers ignore fails the test and says why") {
  const CookieTarget shop = cookie_target("shop.example", "/", "https");
  const struct {
    std::string_view field, why;
    CookieTarget target;
  } cases[] = {
      {"a", "it has no '='", shop},
      {"=1", "it has no name", shop},
      {"a=1; Domain=other.example", "its Domain is not the host shop.example or above it", shop},
      {"a=1; Domain=www.shop.example", "its Domain is not the host", shop},
      {"a=1; Domain=example", "its Domain is a top-level domain", shop},
      {"a=1; Secure", "X-Forwarded-Proto: https", cookie_target("shop.example", "/", "")},
      {"a=1; Secure", "it is Secure", cookie_target("test", "/", "http")},
      {"__Secure-a=1", "its name requires Secure", shop},
      {"__host-a=1; Path=/", "its name requires Secure", shop},
      {"__Host-a=1; Path=/; Secure; Domain=shop.example", "its name forbids Domain", shop},
      {"__Host-a=1; Path=/cart; Secure", "its name requires Path=/", shop},
  };
  for (const auto& [field, why, target] : cases) {
    CAPTURE(field);
    TestCookies cookies;
    std::string message;
    try {
      cookies.receive(field, target, kNow);
    } catch (const TestFailure& failure) {
      message = failure.what();
    }
    CHECK(message.contains(why));
    CHECK(message.contains(field));
    CHECK(cookies.all().empty());
  }
}

TEST_CASE("cookies are replaced, ordered, and removed as browsers do") {
  const CookieTarget target = cookie_target("test", "/cart/add", "");
  TestCookies cookies;
  cookies.receive("a=1; Path=/", target, kNow);
  cookies.receive("b=2; Path=/; Secure", target, kNow);
  cookies.receive("a=3; Path=/cart", target, kNow);
  cookies.receive("a=4; Path=/", target, kNow);
  CHECK(line_for(cookies, target) == "a=3; a=4; b=2");
  CHECK(cookies.find("a") == "3");
  CHECK_FALSE(cookies.find("c"));
  cookies.receive("a=; Path=/cart; Max-Age=0", target, kNow);
  CHECK(cookies.find("a") == "4");
  cookies.set({.name = "c", .value = "5", .domain = "test", .path = "/cart", .expires = {}});
  CHECK(line_for(cookies, target) == "c=5; a=4; b=2");
  cookies.erase("a");
  CHECK(line_for(cookies, target) == "c=5; b=2");
  CHECK(line_for(cookies, cookie_target("test", "/cart/", "http")) == "c=5");
  cookies.clear();
  CHECK(cookies.all().empty());
}

TEST_CASE("a host has neither its port nor its case") {
  CHECK(cookie_target("LOCALHOST:80", "/", "").host == "localhost");
  CHECK(cookie_target("[::1]:80", "/", "").host == "[::1]");
  CHECK(cookie_target("localhost", "/a?b", "").path == "/a");
  CHECK(cookie_target("localhost", "/", "").secure);
  CHECK(cookie_target("a.example", "/", "https, http").secure);
  CHECK_FALSE(cookie_target("a.example", "/", "").secure);
}

}  // namespace volt::http
