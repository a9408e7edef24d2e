// SPDX-License-Identifier: MIT

#include "http/http1/target.h"

#include <doctest/doctest.h>

#include <string_view>

namespace volt::http::http1 {
TEST_SUITE_BEGIN("http/http1/target");

TEST_CASE("a target has the form that its method requires, RFC 9112 section 3.2") {
  using enum Target::Form;
  const struct {
    std::string_view why;
    Method method;
    std::string_view text;
    Target::Form form;
    std::string_view authority, path, query;
  } cases[] = {
      {"3.2.1 origin form", Method::get, "/a/b", origin, "", "/a/b", ""},
      {"3.2.1 the root", Method::get, "/", origin, "", "/", ""},
      {"3.2.1 a query", Method::get, "/a?b=c&d", origin, "", "/a", "b=c&d"},
      {"3.2.1 only the first '?' separates", Method::get, "/a?b?c", origin, "", "/a", "b?c"},
      {"3.2.1 an empty query", Method::get, "/a?", origin, "", "/a", ""},
      {"3.2.1 two slashes are a path, not a host", Method::get, "//host/a", origin, "", "//host/a", ""},
      {"3.2.1 dot segments stay unchanged", Method::get, "/a/../b", origin, "", "/a/../b", ""},
      {"3986 2.1 escapes stay unchanged", Method::get, "/%2e%2E/%01?%00", origin, "", "/%2e%2E/%01", "%00"},
      {"a URL in the query", Method::get, "/r?to=http://x/", origin, "", "/r", "to=http://x/"},
      {"3.2.2 absolute form", Method::get, "http://a.example/b?c", absolute, "a.example", "/b", "c"},
      {"3.2.2 absolute form with https", Method::get, "https://a.example:8443/b", absolute, "a.example:8443", "/b", ""},
      {"3.2.2 schemes are case-insensitive", Method::get, "HTTP://a/b", absolute, "a", "/b", ""},
      {"3.2.2 IPv6", Method::get, "http://[::1]:80/b", absolute, "[::1]:80", "/b", ""},
      {"9110 4.2.3 an empty path is the root", Method::get, "http://a", absolute, "a", "/", ""},
      {"9110 4.2.3 an empty path before a query is the root", Method::get, "http://a?b", absolute, "a", "/", "b"},
      {"3.2.4 OPTIONS without path means the server", Method::options, "http://a:80", absolute, "a:80", "*", ""},
      {"3.2.4 OPTIONS with only a query means the root", Method::options, "http://a?b", absolute, "a", "/", "b"},
      {"3.2.4 asterisk form", Method::options, "*", asterisk, "", "*", ""},
      {"3.2.4 OPTIONS of a path", Method::options, "/a", origin, "", "/a", ""},
      {"3.2.3 authority form", Method::connect, "a.example:443", authority, "a.example:443", "", ""},
  };
  for (const auto& want : cases) {
    CAPTURE(want.why);
    const auto target = parse_target(want.text, want.method);
    REQUIRE(target.has_value());
    CHECK(target->form == want.form);
    CHECK(target->authority == want.authority);
    CHECK(target->path == want.path);
    CHECK(target->query == want.query);
  }
}

TEST_CASE("a target of a form that the method does not allow is refused") {
  const struct {
    std::string_view why;
    Method method;
    std::string_view text;
  } cases[] = {
      {"3.2.4 `*` is for OPTIONS only", Method::get, "*"},
      {"3.2.4 `*` must be the whole target", Method::options, "*/a"},
      {"3.2.1 no slash", Method::get, "a/b"},
      {"3.2.1 only a query", Method::get, "?a"},
      {"3.2.3 authority form is for CONNECT only", Method::get, "a.example:443"},
      {"3.2.3 CONNECT needs a port", Method::connect, "a.example"},
      {"3.2.3 CONNECT to a path", Method::connect, "/a"},
      {"3.2.3 CONNECT in absolute form", Method::connect, "http://a:80/"},
      {"9110 4.2.1 no host", Method::get, "http:///a"},
      {"9110 4.2.1 only a port", Method::get, "http://:80/a"},
      {"9110 4.2.4 userinfo", Method::get, "http://user@a/b"},
      {"9110 4.2.4 userinfo with password", Method::get, "http://user:pw@a/b"},
      {"one slash", Method::get, "http:/a"},
      {"no slashes", Method::get, "http:a"},
      {"only a scheme", Method::get, "http://"},
      {"a scheme that is not supported", Method::get, "ftp://a/b"},
      {"3986 2.1 an escape cut off", Method::get, "/a%"},
      {"3986 2.1 one digit", Method::get, "/a%2"},
      {"3986 2.1 no hexadecimal digits", Method::get, "/%zz"},
      {"3986 2.1 a wrong second digit", Method::get, "/%2g"},
      {"3986 7.3 NUL in the path", Method::get, "/a%00.html"},
      {"3986 7.3 NUL in an absolute path", Method::get, "http://a/%00"},
      {"3986 2.1 an incomplete escape in the query", Method::get, "/a?b=%"},
      {"3986 2.1 IIS style", Method::get, "/%u0041"},
  };
  for (const auto& [why, method, text] : cases) {
    CAPTURE(why);
    const auto target = parse_target(text, method);
    REQUIRE_FALSE(target.has_value());
    CHECK(target.error() == ParseError::bad_target);
  }
}

TEST_CASE("a target may hold visible ASCII except the bytes that URIs exclude everywhere") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const char c = static_cast<char>(byte);
    const bool excluded = c == '"' || c == '<' || c == '>' || c == '#' || c == '\\';
    CHECK(kTargetChars.contains(c) == (byte > 0x20 && byte < 0x7f && !excluded));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::http1
