#include "http/ops/internal/trusted_host.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::http::ops {

TEST_SUITE_BEGIN("http/ops/trusted_host");

TEST_CASE("names that are not ours are refused, for a page could have made them point here") {
  const std::vector<std::string> ours = {"volt.internal"};
  const struct {
    std::string why;
    std::string host;
    bool trusted;
  } cases[] = {
      {"loopback by name", "localhost", true},
      {"and port", "localhost:9090", true},
      {"in any case", "LocalHost:9090", true},
      {"an IPv4 address is no name", "127.0.0.1:9090", true},
      {"also that of a pod", "10.2.3.4:9090", true},
      {"an IPv6 address", "[::1]:9090", true},
      {"without port", "[2001:db8::1]", true},
      {"HTTP/1.0 may name no host, browsers do", "", true},
      {"a name that was configured", "volt.internal:9090", true},
      {"in any case", "Volt.Internal", true},
      {"another name", "evil.example", false},
      {"and port", "evil.example:9090", false},
      {"it ends like ours", "evil.volt.internal", false},
      {"it begins like ours", "localhost.evil.example", false},
      {"it begins like an address", "127.0.0.1.evil.example", false},
      {"no address", "127.0.0.256", false},
      {"an address in another form, which a resolver might take for a name", "0x7f.1", false},
      {"brackets around no address", "[localhost]:9090", false},
      {"brackets without an end", "[::1", false},
      {"a port of nothing", ":9090", false},
      {"nothing after brackets but a port", "[::1]x", false},
      {"a dot at the end is another name", "localhost.", false},
  };
  for (const auto& [why, host, trusted] : cases) {
    CAPTURE(why);
    CAPTURE(host);
    CHECK(trusted_host(host, ours) == trusted);
  }
}

}  // namespace volt::http::ops
