// SPDX-License-Identifier: MIT

#include "http/cookies/cookies.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "http/message/cookie.h"

namespace volt::http {
using namespace std::chrono_literals;
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/cookies/cookies");

TEST_CASE("a cookie is secure by default") {
  CHECK(SetCookie("a", "b").to_string() == "a=b; Path=/; Secure; HttpOnly; SameSite=Lax");
  CHECK(SetCookie("a", "").secure(false).http_only(false).to_string() == "a=; Path=/; SameSite=Lax");
}

TEST_CASE("each attribute is written according to RFC 6265 section 4.1.1") {
  const std::chrono::sys_seconds example_of_rfc_9110 =
      std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;
  const struct {
    std::string why;
    SetCookie cookie;
    std::string want;
  } cases[] = {
      {"path", SetCookie("a", "b").path("/x y"), "a=b; Path=/x y; Secure; HttpOnly; SameSite=Lax"},
      {"domain", SetCookie("a", "b").domain("a-1.Example.com"),
       "a=b; Path=/; Domain=a-1.Example.com; Secure; HttpOnly; SameSite=Lax"},
      {"max-age", SetCookie("a", "b").max_age(2h), "a=b; Path=/; Max-Age=7200; Secure; HttpOnly; SameSite=Lax"},
      {"a negative age becomes zero", SetCookie("a", "b").max_age(-5s),
       "a=b; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"},
      {"expires", SetCookie("a", "b").expires(example_of_rfc_9110),
       "a=b; Path=/; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Secure; HttpOnly; SameSite=Lax"},
      {"strict", SetCookie("a", "b").same_site(SameSite::strict), "a=b; Path=/; Secure; HttpOnly; SameSite=Strict"},
      {"none", SetCookie("a", "b").same_site(SameSite::none), "a=b; Path=/; Secure; HttpOnly; SameSite=None"},
      {"partitioned", SetCookie("a", "b").partitioned(), "a=b; Path=/; Secure; HttpOnly; SameSite=Lax; Partitioned"},
      {"removal", SetCookie::expire("a").path("/x"),
       "a=; Path=/x; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax"},
      {"a __Host- cookie", SetCookie("__Host-a", "b"), "__Host-a=b; Path=/; Secure; HttpOnly; SameSite=Lax"},
      {"a prefix must match completely", SetCookie("__Hosta", "b").secure(false).path("/x"),
       "__Hosta=b; Path=/x; HttpOnly; SameSite=Lax"},
      {"removal of a __Host- cookie", SetCookie::expire("__Host-a"),
       "__Host-a=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax"},
  };
  for (const auto& [why, cookie, want] : cases) {
    CAPTURE(why);
    CHECK(cookie.to_string() == want);
  }
}

TEST_CASE("every byte that a value may contain is returned by the client unchanged") {
  std::string value;
  for (char c = 0x21; c < 0x7f; ++c) {
    if ("\",;\\"sv.find(c) == std::string_view::npos) value += c;
  }
  CHECK(value.size() == 90);
  const std::string field = SetCookie("a", value).to_string();
  CHECK(message::find_cookie(field, "a") == value);
}

TEST_CASE("bytes that could end a value, an attribute or the field are rejected") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const std::string text = std::string("/x") + static_cast<char>(byte);
    const bool visible = byte > 0x20 && byte < 0x7f;
    const bool cookie_octet = visible && "\",;\\"sv.find(static_cast<char>(byte)) == std::string_view::npos;
    if (!cookie_octet) CHECK_THROWS_AS(SetCookie("a", text), std::invalid_argument);
    if (!visible || byte == '=' || byte == ';') {
      CHECK_THROWS_AS(SetCookie(text.substr(1), ""), std::invalid_argument);
      CHECK_THROWS_AS(SetCookie("a", "").domain(text.substr(1)), std::invalid_argument);
    }
    if ((!visible && byte != ' ') || byte == ';') {
      CHECK_THROWS_AS(SetCookie("a", "").path(text), std::invalid_argument);
    }
  }
}

TEST_CASE("a cookie that clients would silently drop is rejected with an exception") {
  const std::string long_value(SetCookie::kNameAndValueBytesMax - 1, 'x');
  const std::string long_path = "/" + std::string(SetCookie::kAttributeBytesMax - 1, 'x');
  CHECK_NOTHROW(SetCookie("a", long_value));
  CHECK_NOTHROW(SetCookie("a", "").path(long_path));
  const struct {
    std::string why;
    std::function<void()> make;
  } cases[] = {
      {"no name", [] { SetCookie("", "b"); }},
      {"a name with a space", [] { SetCookie("a b", "c"); }},
      {"a cookie that is too long", [&] { SetCookie("ab", long_value); }},
      {"no path", [] { SetCookie("a", "b").path(""); }},
      {"a relative path", [] { SetCookie("a", "b").path("x"); }},
      {"a long path", [&] { SetCookie("a", "b").path(long_path + "x"); }},
      {"no domain", [] { SetCookie("a", "b").domain(""); }},
      {"a leading dot", [] { SetCookie("a", "b").domain(".example.com"); }},
      {"a trailing dot", [] { SetCookie("a", "b").domain("example.com."); }},
      {"a port", [] { SetCookie("a", "b").domain("example.com:80"); }},
      {"SameSite=None", [] { SetCookie("a", "b").same_site(SameSite::none).secure(false).to_string(); }},
      {"Partitioned", [] { SetCookie("a", "b").secure(false).partitioned().to_string(); }},
      {"__Secure-", [] { SetCookie("__Secure-a", "b").secure(false).to_string(); }},
      {"__secure- in any case", [] { SetCookie("__sEcure-a", "b").secure(false).to_string(); }},
      {"__Host- not secure", [] { SetCookie("__Host-a", "b").secure(false).to_string(); }},
      {"__Host- with a domain", [] { SetCookie("__Host-a", "b").domain("example.com").to_string(); }},
      {"__host- with a path", [] { SetCookie("__host-a", "b").path("/x").to_string(); }},
  };
  for (const auto& [why, make] : cases) {
    CAPTURE(why);
    CHECK_THROWS_AS(make(), std::invalid_argument);
  }
  CHECK_NOTHROW(SetCookie("__Secure-a", "b").domain("example.com").path("/x").to_string());
}

TEST_SUITE_END();
}  // namespace volt::http
