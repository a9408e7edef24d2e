#include "http/websocket/protocol/origin.h"

#include <doctest/doctest.h>

#include <vector>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/origin");

TEST_CASE("a page may connect to its own host, or where it is listed, RFC 6455 section 10.2") {
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
      {"case-blind", "https://Example.COM", "eXample.com", {}, true},
      {"with a port", "http://localhost:8080", "localhost:8080", {}, true},
      {"the scheme's port is said by one", "https://example.com", "example.com:443", {}, true},
      {"by the other", "http://example.com:80", "example.com", {}, true},
      {"an IPv6 address", "http://[::1]:8080", "[::1]:8080", {}, true},
      {"another host", "https://evil.example", "example.com", {}, false},
      {"a longer one", "https://example.com.evil.example", "example.com", {}, false},
      {"a subdomain", "https://www.example.com", "example.com", {}, false},
      {"another port", "http://localhost:3000", "localhost:8080", {}, false},
      {"the other scheme's port", "https://example.com", "example.com:80", {}, false},
      {"userinfo", "https://example.com@evil.example", "example.com", {}, false},
      {"a path", "https://example.com/", "example.com", {}, false},
      {"of a sandbox", "null", "null", {}, false},
      {"of a file", "file://", "", {}, false},
      {"another scheme", "chrome-extension://example.com", "example.com", {}, false},
      {"no scheme", "example.com", "example.com", {}, false},
      {"empty", "", "", {}, false},

      {"listed", "https://example.com", "other", listed, true},
      {"listed, case-blind", "HTTPS://example.com", "other", listed, true},
      {"listed, second", "http://localhost:3000", "other", listed, true},
      {"not listed, though its own host", "https://other", "other", listed, false},
      {"listed with another scheme", "http://example.com", "other", listed, false},
      {"any", "https://evil.example", "other", {"*"}, true},
      {"any, a sandbox", "null", "other", {"*"}, true},
  };
  for (const auto& [why, origin, host, allowed, want] : cases) {
    CAPTURE(why);
    CHECK(origin_allowed(origin, host, allowed) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
