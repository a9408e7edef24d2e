// SPDX-License-Identifier: MIT

#include "http/client/internal/uri.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>

namespace volt::http::client {
namespace {

std::string parts(const std::optional<Uri>& uri) {
  if (!uri) return "none";
  return (uri->secure ? "s " : "p ") + uri->authority + " " + uri->host + " " + std::to_string(uri->port) + " " +
         uri->target;
}

}  // namespace

TEST_SUITE_BEGIN("http/client/internal/uri");

TEST_CASE("a URI has a scheme, a host, a port and a target, or is refused") {
  struct Case {
    std::string why;
    std::string text;
    std::string want;
  };
  const Case cases[] = {
      {"all parts", "http://Example.org:8080/a/b?c=d", "p Example.org:8080 example.org 8080 /a/b?c=d"},
      {"the default ports", "https://example.org", "s example.org example.org 443 /"},
      {"an empty port", "http://example.org:/x", "p example.org: example.org 80 /x"},
      {"the scheme is case-insensitive", "HTTPS://a/", "s a a 443 /"},
      {"a query without a path", "http://a?b", "p a a 80 /?b"},
      {"the fragment is dropped", "http://a/b#c/d?e", "p a a 80 /b"},
      {"an IPv6 address", "http://[::1]:81/", "p [::1]:81 ::1 81 /"},
      {"an IPv6 address without a port", "https://[2001:db8::1]", "s [2001:db8::1] 2001:db8::1 443 /"},
      {"another scheme", "ftp://a/", "none"},
      {"no scheme", "//a/", "none"},
      {"one slash", "http:/a", "none"},
      {"no host", "http:///a", "none"},
      {"userinfo", "http://user@a/", "none"},
      {"a password", "http://user:word@a/", "none"},
      {"a line break in the path", "http://a/\r\nX: y", "none"},
      {"a line break in the host", "http://a\r\n/", "none"},
      {"a space", "http://a/ HTTP/1.1", "none"},
      {"an 8-bit byte", "http://a/\xc3\xa4", "none"},
      {"a backslash", "http://a\\b/", "none"},
      {"a port too large", "http://a:65536/", "none"},
      {"a port that is not a number", "http://a:x/", "none"},
      {"nothing", "", "none"},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(parts(parse_uri(text)) == want);
  }
}

TEST_CASE("a reference is resolved against its base (RFC 3986 section 5.4)") {
  const Uri base = parse_uri("http://a/b/c/d;p?q").value();
  struct Case {
    std::string reference;
    std::string want;
  };
  const Case cases[] = {
      {"g", "p a a 80 /b/c/g"},
      {"./g", "p a a 80 /b/c/g"},
      {"g/", "p a a 80 /b/c/g/"},
      {"/g", "p a a 80 /g"},
      {"//g", "p g g 80 /"},
      {"?y", "p a a 80 /b/c/d;p?y"},
      {"g?y", "p a a 80 /b/c/g?y"},
      {"g#s", "p a a 80 /b/c/g"},
      {"", "p a a 80 /b/c/d;p?q"},
      {".", "p a a 80 /b/c/"},
      {"..", "p a a 80 /b/"},
      {"../g", "p a a 80 /b/g"},
      {"../..", "p a a 80 /"},
      {"../../../g", "p a a 80 /g"},
      {"/./g", "p a a 80 /g"},
      {"/../g", "p a a 80 /g"},
      {"g.", "p a a 80 /b/c/g."},
      {"..g", "p a a 80 /b/c/..g"},
      {"./g/.", "p a a 80 /b/c/g/"},
      {"g/./h", "p a a 80 /b/c/g/h"},
      {"g/../h", "p a a 80 /b/c/h"},
      {"https://x:1/y", "s x:1 x 1 /y"},
      {"g:h", "none"},
      {"javascript:alert(1)", "none"},
      {"/a b", "none"},
      {"//user@g/", "none"},
  };
  for (const auto& [reference, want] : cases) {
    CAPTURE(reference);
    CHECK(parts(resolve_reference(base, reference)) == want);
  }
}

}  // namespace volt::http::client
