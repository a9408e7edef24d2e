// SPDX-License-Identifier: MIT

#include "http/route/internal/host_table.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace volt::http::route {
namespace {

// Returns the numbers that serve the host, in order.
std::string serving(const HostTable& hosts, const std::string& host) {
  std::string numbers;
  hosts.visit(host, [&](std::size_t number) {
    numbers += std::to_string(number);
    return false;
  });
  return numbers;
}

}  // namespace

TEST_SUITE_BEGIN("http/route/internal/host_table");

TEST_CASE("the most specific host comes first, the routes of all hosts last") {
  HostTable hosts;
  CHECK(hosts.add("") == 0);
  CHECK(hosts.add("api.example.com") == 1);
  CHECK(hosts.add("*.example.com") == 2);
  CHECK(hosts.add("*.EU.example.com") == 3);
  CHECK(hosts.add("[2001:db8::1]") == 4);
  CHECK(hosts.add("localhost") == 5);
  CHECK(hosts.add("API.example.com") == 1);
  CHECK(hosts.add("*.example.com") == 2);
  CHECK(hosts.size() == 6);
  const struct {
    std::string why, host, want;
  } cases[] = {
      {"the exact name, then the wildcard", "api.example.com", "120"},
      {"4.2.3: case-insensitive", "API.Example.COM", "120"},
      {"without its port", "api.example.com:8080", "120"},
      {"with an empty port", "api.example.com:", "120"},
      {"RFC 1034 3.1: an absolute name", "api.example.com.", "120"},
      {"an absolute name with a port", "api.example.com.:8080", "120"},
      {"one label below", "www.example.com", "20"},
      {"two labels below", "a.b.example.com", "20"},
      {"the longer wildcard first", "a.eu.example.com", "320"},
      {"a wildcard is not its own name", "example.com", "0"},
      {"a subdomain of another wildcard", "eu.example.com", "20"},
      {"an empty label is invalid", ".example.com", "0"},
      {"a name that only ends with the same letters", "badexample.com", "0"},
      {"an address", "[2001:db8::1]", "40"},
      {"an address with a port", "[2001:DB8::1]:443", "40"},
      {"another address", "[2001:db8::2]:443", "0"},
      {"a name without dots", "localhost:80", "50"},
      {"RFC 9112 3.2: an HTTP/1.0 request without a host", "", "0"},
      {"an unknown host", "example.org", "0"},
      {"only a dot", ".", "0"},
      {"only a port", ":80", "0"},
      {"an open bracket", "[::1", "0"},
      {"a pattern is not a name", "*.example.com", "20"},
      {"the longest name", std::string(241, 'a') + ".example.com", "20"},
      {"too long for a name", std::string(242, 'a') + ".example.com", "0"},
      {"thousands of dots", std::string(8000, '.'), "0"},
  };
  for (const auto& [why, host, want] : cases) {
    CAPTURE(why);
    CHECK(serving(hosts, host) == want);
  }
}

TEST_CASE("a visit ends when the callback returns true") {
  HostTable hosts;
  hosts.add("a.example");
  int visits = 0;
  hosts.visit("a.example", [&](std::size_t) { return ++visits == 1; });
  CHECK(visits == 1);
}

TEST_CASE("an invalid host is refused") {
  HostTable hosts;
  for (const std::string host :
       {"*", "*.", "*example.com", "a.*.com", "*.*.com", "a.example:80", "*.a:80", ".a", "a..b", "a/b", "a b",
        "http://a", "[::1]:80", "[", "[]", "[x::]", "::1", "é.example", "a@b"}) {
    CAPTURE(host);
    CHECK_THROWS_AS(hosts.add(host), std::invalid_argument);
  }
  CHECK_THROWS_AS(hosts.add(std::string(254, 'a')), std::invalid_argument);
  CHECK(hosts.size() == 1);
  CHECK(hosts.add(std::string(253, 'a')) == 1);
}

TEST_SUITE_END();
}  // namespace volt::http::route
