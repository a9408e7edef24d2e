// SPDX-License-Identifier: MIT

#include "http/message/ip_address.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/ip_address");

TEST_CASE("an address is parsed, and written in the form of RFC 5952") {
  const struct {
    std::string why, text, want;
    bool is_v4;
  } cases[] = {
      {"IPv4", "192.0.2.1", "192.0.2.1", true},
      {"IPv4, all bits", "255.255.255.255", "255.255.255.255", true},
      {"IPv6", "2001:db8::1", "2001:db8::1", false},
      {"IPv6 in full and upper case", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1", false},
      {"the unspecified address", "::", "::", false},
      {"IPv4 in IPv6 is IPv4", "::ffff:192.0.2.1", "192.0.2.1", true},
      {"a mapped address in hexadecimal", "::ffff:c000:201", "192.0.2.1", true},
      {"almost a mapped address", "::fffe:192.0.2.1", "::fffe:c000:201", false},
  };
  for (const auto& [why, text, want, is_v4] : cases) {
    CAPTURE(why);
    const auto address = IpAddress::parse(text);
    REQUIRE(address);
    CHECK(address->to_string() == want);
    CHECK(address->is_v4() == is_v4);
    CHECK(IpAddress::parse(address->to_string()) == address);
  }
}

TEST_CASE("text that is not an address is refused") {
  using namespace std::string_literals;
  for (const std::string& text : {""s,
                                  " "s,
                                  "localhost"s,
                                  "192.0.2"s,
                                  "192.0.2.1 "s,
                                  " 192.0.2.1"s,
                                  "192.0.2.256"s,
                                  "192.0.2.01"s,
                                  "0x7f.0.0.1"s,
                                  "3221225985"s,
                                  "192.0.2.1:80"s,
                                  "[::1]"s,
                                  ":::"s,
                                  "1:2:3"s,
                                  "1:2:3:4:5:6:7:8:9"s,
                                  "fe80::1%eth0"s,
                                  "::1/64"s,
                                  "192.0.2.1\0"s,
                                  "::1\0x"s,
                                  std::string(200, ':'),
                                  std::string(45, '1')}) {
    CAPTURE(text);
    CHECK_FALSE(IpAddress::parse(text));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::message
