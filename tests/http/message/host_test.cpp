// SPDX-License-Identifier: MIT

#include "http/message/host.h"

#include <doctest/doctest.h>

#include <string_view>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/host");

TEST_CASE("a host follows RFC 9110 section 7.2 and names one authority") {
  using namespace std::string_view_literals;
  const struct {
    std::string_view why;
    std::string_view host;
    bool want;
  } cases[] = {
      {"a name", "example.com", true},
      {"one label", "localhost", true},
      {"a port", "example.com:8080", true},
      {"an empty port (RFC 3986 3.2.3)", "example.com:", true},
      {"the largest port", "a:65535", true},
      {"IPv4", "127.0.0.1:80", true},
      {"IPv6", "[::1]", true},
      {"IPv6 with port", "[2001:db8::1]:443", true},
      {"IPv4 in IPv6", "[::ffff:1.2.3.4]", true},
      {"underscore and tilde", "my_host~1", true},
      {"sub-delims of reg-name (RFC 3986 3.2.2)", "a!b$c=d", true},
      {"a number is not the last label", "1.2.3.example", true},

      {"empty (9110 4.2.1)", "", false},
      {"only a port", ":80", false},
      {"port past 65535", "a:65536", false},
      {"port past 2^32", "a:4294967376", false},
      {"port with a sign", "a:+80", false},
      {"port with letters", "a:8o", false},
      {"two ports", "a:80:81", false},
      {"userinfo (9110 4.2.4)", "user@example.com", false},
      {"userinfo with password", "user:pw@example.com", false},
      {"a path", "example.com/x", false},
      {"a query", "example.com?x", false},
      {"a fragment", "example.com#x", false},
      {"a comma list", "a.example, b.example", false},
      {"a comma alone", "a,b", false},
      {"space inside", "a b", false},
      {"tab inside", "a\tb", false},
      {"a scheme", "http://a", false},
      {"backslash", "a\\b", false},
      {"NUL", "a\0b"sv, false},
      {"obs-text", "\xc3\xa9.example", false},
      {"a percent escape", "a%2Db", false},
      {"IPv4 in octal", "127.01.0.1", false},
      {"IPv4 in hexadecimal", "0x7f.1", false},
      {"IPv4 as one number", "2130706433", false},
      {"IPv4 with a part too large", "1.2.3.256", false},
      {"IPv4 with five parts", "1.2.3.4.5", false},
      {"IPv6 without brackets", "::1", false},
      {"IPv6 without a closing bracket", "[::1", false},
      {"IPv6 empty", "[]", false},
      {"IPv6 malformed", "[1:2:3]", false},
      {"IPv6 with a zone", "[fe80::1%25eth0]", false},
      {"IPv6 with a name inside", "[example]", false},
      {"IPv6 with NUL inside", "[::1\0]"sv, false},
      {"IPv6 far too long", "[1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1111]", false},
      {"trailing bytes after IPv6", "[::1]x", false},
      {"a future address", "[v1.x]", false},
  };
  for (const auto& [why, host, want] : cases) {
    CAPTURE(why);
    CHECK(valid_host(host) == want);
  }
}

TEST_CASE("the target of CONNECT needs a port") {
  CHECK(valid_host_with_port("example.com:443"));
  CHECK(valid_host_with_port("[::1]:443"));
  CHECK_FALSE(valid_host_with_port("example.com"));
  CHECK_FALSE(valid_host_with_port("example.com:"));
  CHECK_FALSE(valid_host_with_port("1.2.3.4"));
  CHECK_FALSE(valid_host_with_port("[::1]"));
  CHECK_FALSE(valid_host_with_port(""));
}

TEST_SUITE_END();
}  // namespace volt::http::message
