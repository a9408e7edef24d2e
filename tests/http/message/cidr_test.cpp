// SPDX-License-Identifier: MIT

#include "http/message/cidr.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/cidr");

TEST_CASE("a block contains the addresses with its prefix") {
  const struct {
    std::string why, block, address;
    bool want;
  } cases[] = {
      {"first", "10.0.0.0/8", "10.0.0.0", true},
      {"last", "10.0.0.0/8", "10.255.255.255", true},
      {"before", "10.0.0.0/8", "9.255.255.255", false},
      {"after the block", "10.0.0.0/8", "11.0.0.0", false},
      {"within a byte", "172.16.0.0/12", "172.31.255.255", true},
      {"outside, within a byte", "172.16.0.0/12", "172.32.0.0", false},
      {"/31, low", "192.0.2.2/31", "192.0.2.3", true},
      {"/31, beyond", "192.0.2.2/31", "192.0.2.4", false},
      {"/32", "192.0.2.1/32", "192.0.2.1", true},
      {"/32, another", "192.0.2.1/32", "192.0.2.0", false},
      {"an address without a prefix length", "192.0.2.1", "192.0.2.1", true},
      {"alone, another", "192.0.2.1", "192.0.2.2", false},
      {"all of IPv4", "0.0.0.0/0", "203.0.113.7", true},
      {"IPv4 in IPv6 is IPv4", "10.0.0.0/8", "::ffff:10.1.2.3", true},
      {"all of IPv4 contains no IPv6", "0.0.0.0/0", "2001:db8::1", false},
      {"IPv6", "2001:db8::/32", "2001:db8:ffff::1", true},
      {"IPv6, beyond", "2001:db8::/32", "2001:db9::", false},
      {"IPv6 /127", "::2/127", "::3", true},
      {"IPv6 alone", "::1", "::1", true},
      {"all of IPv6", "::/0", "2001:db8::1", true},
      {"all of IPv6 contains no IPv4", "::/0", "10.0.0.1", false},
      {"IPv4 in its mapped IPv6 form", "::ffff:10.0.0.0/104", "10.9.9.9", true},
      {"all of IPv4 in its mapped IPv6 form", "::ffff:0:0/96", "203.0.113.7", true},
  };
  for (const auto& [why, block_text, address, want] : cases) {
    CAPTURE(why);
    const auto block = Cidr::parse(block_text);
    REQUIRE(block);
    CHECK(block->contains(IpAddress::parse(address).value()) == want);
  }
}

TEST_CASE("malformed and ambiguous blocks are refused") {
  for (const std::string text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/+8",
                                 "10.0.0.0/08", "10.0.0.0/ 8", "10.0.0.0/8 ", "10.0.0.0/8/8", "10.0.0.0/4294967304",
                                 "10/8", "10.1.0.0/8", "192.0.2.1/31", "::1/64", "example/8", "10.0.0.0/255.0.0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(Cidr::parse(text));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::message
