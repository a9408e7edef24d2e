// SPDX-License-Identifier: MIT

#include "runtime/address.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <ostream>
#include <string>

namespace volt {

TEST_SUITE_BEGIN("runtime/net/address");

TEST_CASE("an address parses from its text form and prints in canonical form") {
  struct Case {
    std::string why;
    std::string text;
    int family;
    std::uint16_t port;
    std::string written;
  };
  const Case cases[] = {
      {"loopback", "127.0.0.1:8080", AF_INET, 8080, "127.0.0.1:8080"},
      {"the kernel chooses the port", "127.0.0.1:0", AF_INET, 0, "127.0.0.1:0"},
      {"the last port", "10.1.2.3:65535", AF_INET, 65535, "10.1.2.3:65535"},
      {"every address, in short", ":80", AF_INET, 80, "0.0.0.0:80"},
      {"every address, in full", "0.0.0.0:80", AF_INET, 80, "0.0.0.0:80"},
      {"zeros before a port change nothing", "127.0.0.1:00080", AF_INET, 80, "127.0.0.1:80"},
      {"IPv6 loopback", "[::1]:8080", AF_INET6, 8080, "[::1]:8080"},
      {"every IPv6 address", "[::]:80", AF_INET6, 80, "[::]:80"},
      {"IPv6 is written in its short form (RFC 5952)", "[2001:DB8:0:0:0:0:0:1]:443", AF_INET6, 443,
       "[2001:db8::1]:443"},
      {"an IPv4-mapped IPv6 address", "[::ffff:192.0.2.7]:1", AF_INET6, 1, "[::ffff:192.0.2.7]:1"},
  };
  for (const auto& [why, text, family, port, written] : cases) {
    CAPTURE(why);
    const Result<Address> address = Address::parse(text);
    REQUIRE(address.has_value());
    CHECK(address->family() == family);
    CHECK(address->data()->sa_family == family);
    CHECK(address->size_bytes() == (family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6)));
    CHECK(address->port() == port);
    CHECK(address->to_string() == written);
    const Result<Address> again = Address::parse(written);
    REQUIRE(again.has_value());
    CHECK(again->to_string() == written);
    const Address copied = Address::from(address->data(), address->size_bytes());
    CHECK(copied.to_string() == written);
  }
}

TEST_CASE("text other than a numeric host and a port is rejected") {
  struct Case {
    std::string why;
    std::string text;
  };
  const Case cases[] = {
      {"nothing", ""},
      {"no port", "127.0.0.1"},
      {"an empty port", "127.0.0.1:"},
      {"only a colon", ":"},
      {"a port beyond 16 bits", "127.0.0.1:65536"},
      {"a port beyond every integer", "127.0.0.1:99999999999999999999"},
      {"a negative port", "127.0.0.1:-1"},
      {"a sign", "127.0.0.1:+80"},
      {"a space before the port", "127.0.0.1: 80"},
      {"a space after the port", "127.0.0.1:80 "},
      {"a letter in the port", "127.0.0.1:8o"},
      {"a hexadecimal port", "127.0.0.1:0x50"},
      {"a name, because parse() does not resolve names", "localhost:80"},
      {"three parts", "127.0.1:80"},
      {"five parts", "127.0.0.0.1:80"},
      {"a part beyond 255", "127.0.0.256:80"},
      {"a part with a leading zero, which might be octal", "127.0.0.01:80"},
      {"a space before the host", " 127.0.0.1:80"},
      {"IPv6 without brackets, where the port is ambiguous", "::1:80"},
      {"IPv6 without a port", "[::1]"},
      {"an unclosed bracket", "[::1:80"},
      {"a bracket that was not opened", "::1]:80"},
      {"empty brackets", "[]:80"},
      {"IPv4 in brackets", "[127.0.0.1]:80"},
      {"two brackets", "[[::1]]:80"},
      {"too many groups", "[1:2:3:4:5:6:7:8:9]:80"},
      {"a scope", "[fe80::1%eth0]:80"},
      {"a zero byte after the host", std::string("127.0.0.1\0.5:80", 15)},
      {"a zero byte in brackets", std::string("[::1\0]:80", 9)},
      {"a zero byte after the port", std::string("127.0.0.1:80\0", 13)},
      {"a URL", "http://127.0.0.1:80"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    const Result<Address> address = Address::parse(text);
    REQUIRE_FALSE(address.has_value());
    CHECK(address.error() == std::errc::invalid_argument);
  }
}

TEST_CASE("a unix socket has a path, or a name in the abstract namespace") {
  const std::string longest(107, 'p');
  struct Case {
    std::string why;
    std::string text;
    std::string path;
    std::size_t name_bytes;
  };
  const Case cases[] = {
      {"a path", "unix:/run/app.sock", "/run/app.sock", 14}, {"a relative path", "unix:app.sock", "app.sock", 9},
      {"a path that looks like a port", "unix:80", "80", 3}, {"a path with colons", "unix:/a:b:1", "/a:b:1", 7},
      {"the longest path", "unix:" + longest, longest, 108}, {"an abstract name has no path", "unix:@app", "", 4},
      {"the shortest abstract name", "unix:@a", "", 2},      {"the longest abstract name", "unix:@" + longest, "", 108},
  };
  for (const auto& [why, text, path, name_bytes] : cases) {
    CAPTURE(why);
    const Result<Address> address = Address::parse(text);
    REQUIRE(address.has_value());
    CHECK(address->family() == AF_UNIX);
    CHECK(address->size_bytes() == sizeof(sa_family_t) + name_bytes);
    CHECK(address->port() == 0);
    CHECK(std::string(address->path()) == path);
    CHECK(address->to_string() == text);
    CHECK(Address::from(address->data(), address->size_bytes()).to_string() == text);
  }
  const std::string refused[] = {
      "unix:", "unix:@", std::string("unix:/a\0b", 9), "unix:@p" + longest, "unix:p" + longest, "UNIX:/a"};
  for (const std::string& text : refused) {
    CAPTURE(text);
    CHECK(Address::parse(text).error() == std::errc::invalid_argument);
  }
}

TEST_CASE("the names of other programs' unix sockets are printed on one line") {
  struct Case {
    std::string why;
    std::string name;
    std::string written;
  };
  const Case cases[] = {
      {"a client's socket has no name", "", "unix:"},
      {"zero bytes in an abstract name", std::string("\0a\0b", 4), "unix:@a@b"},
      {"a path with its terminating zero byte", std::string("/a\0", 3), "unix:/a"},
      {"a path without a terminating zero byte", "/a", "unix:/a"},
  };
  for (const auto& [why, name, written] : cases) {
    CAPTURE(why);
    sockaddr_un local{};
    local.sun_family = AF_UNIX;
    name.copy(local.sun_path, name.size());
    const auto bytes = static_cast<socklen_t>(sizeof local.sun_family + name.size());
    CHECK(Address::from(reinterpret_cast<sockaddr*>(&local), bytes).to_string() == written);
  }
}

TEST_CASE("text that is part of a longer string is read only up to its own end") {
  const std::string_view all = "127.0.0.1:8080";
  const Result<Address> address = Address::parse(all.substr(0, 12));
  REQUIRE(address.has_value());
  CHECK(address->port() == 80);
}

TEST_SUITE_END();

}  // namespace volt
