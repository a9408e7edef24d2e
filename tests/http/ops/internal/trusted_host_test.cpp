// SPDX-License-Identifier: MIT

#include "http/ops/internal/trusted_host.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::http::ops {

TEST_SUITE_BEGIN("http/ops/internal/trusted_host");

TEST_CASE("unknown host names are refused, since a page could make them resolve to this server") {
  const std::vector<std::string> ours = {"volt.internal"};
  const struct {
    std::string why;
    std::string host;
    bool trusted;
  } cases[] = {
      {"loopback by name", "localhost", true},
      {"loopback by name, with a port", "localhost:9090", true},
      {"loopback by name, case-insensitive", "LocalHost:9090", true},
      {"an IPv4 address", "127.0.0.1:9090", true},
      {"an IPv4 address of a private network", "10.2.3.4:9090", true},
      {"an IPv6 address", "[::1]:9090", true},
      {"an IPv6 address without a port", "[2001:db8::1]", true},
      {"no host: HTTP/1.0 allows it, browsers always send one", "", true},
      {"a configured name", "volt.internal:9090", true},
      {"a configured name, case-insensitive", "Volt.Internal", true},
      {"another name", "evil.example", false},
      {"another name with a port", "evil.example:9090", false},
      {"a name that ends like a configured one", "evil.volt.internal", false},
      {"a name that begins like localhost", "localhost.evil.example", false},
      {"a name that begins like an address", "127.0.0.1.evil.example", false},
      {"not an address", "127.0.0.256", false},
      {"an address in another form, which a resolver might take for a name", "0x7f.1", false},
      {"brackets around no address", "[localhost]:9090", false},
      {"an opening bracket without a closing one", "[::1", false},
      {"a port without a host", ":9090", false},
      {"text after the brackets that is not a port", "[::1]x", false},
      {"a trailing dot makes another name", "localhost.", false},
  };
  for (const auto& [why, host, trusted] : cases) {
    CAPTURE(why);
    CAPTURE(host);
    CHECK(trusted_host(host, ours) == trusted);
  }
}

}  // namespace volt::http::ops
