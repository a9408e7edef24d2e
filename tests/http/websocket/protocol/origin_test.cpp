// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/origin.h"

#include <doctest/doctest.h>

#include <vector>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/protocol/origin");

TEST_CASE("a page may connect to its own host, or where its origin is listed, RFC 6455 section 10.2") {
  using List = std::vector<std::string>;
  const List listed = {"https://example.com", "http://localhost:3000"};
  const struct {
    std::string why;
    std::string origin;
    std::string host;
    List allowed;
    bool want;
  } cases[] = {
      {"its own host", "https://example.com", "example.com", {}, true},
      {"without TLS", "http://example.com", "example.com", {}, true},
      {"case-insensitive", "https://Example.COM", "eXample.com", {}, true},
      {"with a port", "http://localhost:8080", "localhost:8080", {}, true},
      {"the default port, only in the host", "https://example.com", "example.com:443", {}, true},
      {"the default port, only in the origin", "http://example.com:80", "example.com", {}, true},
      {"an IPv6 address", "http://[::1]:8080", "[::1]:8080", {}, true},
      {"another host", "https://evil.example", "example.com", {}, false},
      {"a host with the name as a prefix", "https://example.com.evil.example", "example.com", {}, false},
      {"a subdomain", "https://www.example.com", "example.com", {}, false},
      {"another port", "http://localhost:3000", "localhost:8080", {}, false},
      {"the other scheme's port", "https://example.com", "example.com:80", {}, false},
      {"userinfo", "https://example.com@evil.example", "example.com", {}, false},
      {"a path", "https://example.com/", "example.com", {}, false},
      {"a sandboxed page", "null", "null", {}, false},
      {"a page from a file", "file://", "", {}, false},
      {"another scheme", "chrome-extension://example.com", "example.com", {}, false},
      {"no scheme", "example.com", "example.com", {}, false},
      {"empty", "", "", {}, false},

      {"listed", "https://example.com", "other", listed, true},
      {"listed, case-insensitive", "HTTPS://example.com", "other", listed, true},
      {"listed, second", "http://localhost:3000", "other", listed, true},
      {"not listed, although it is its own host", "https://other", "other", listed, false},
      {"listed with another scheme", "http://example.com", "other", listed, false},
      {"any", "https://evil.example", "other", {"*"}, true},
      {"any origin, for a sandboxed page", "null", "other", {"*"}, true},
  };
  for (const auto& [why, origin, host, allowed, want] : cases) {
    CAPTURE(why);
    CHECK(origin_allowed(origin, host, allowed) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
