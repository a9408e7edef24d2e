// SPDX-License-Identifier: MIT

#include "runtime/internal/name_sources.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::net {

TEST_SUITE_BEGIN("runtime/internal/name_sources");

TEST_CASE("a host name is labels of printable ASCII") {
  struct Case {
    std::string why;
    std::string host;
    bool valid;
  };
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  const Case cases[] = {
      {"a name", "www.example.org", true},
      {"the root after it", "www.example.org.", true},
      {"an underscore, as in names of containers", "app_db", true},
      {"an international name in its form for DNS", "xn--bcher-kva.example", true},
      {"253 bytes", longest, true},
      {"254 bytes", longest + "b", false},
      {"a label of 64 bytes", label + "a.test", false},
      {"no name", "", false},
      {"the root alone", ".", false},
      {"an empty label", "a..test", false},
      {"an empty label first", ".test", false},
      {"a space", "a b", false},
      {"a backslash, which begins an escape", "a\\.test", false},
      {"a control", std::string("a\0b", 3), false},
      {"bytes beyond ASCII",
       "b\xc3\xbc"
       "cher.example",
       false},
  };
  for (const auto& [why, host, valid] : cases) {
    CAPTURE(why);
    CHECK(is_host_name(host) == valid);
  }
}

TEST_CASE("names with an answer of their own are known in any case of letters") {
  struct Case {
    std::string host;
    SpecialName want;
  };
  const Case cases[] = {
      {"localhost", SpecialName::loopback},     {"LocalHost.", SpecialName::loopback},
      {"app.localhost", SpecialName::loopback}, {"notlocalhost", SpecialName::none},
      {"localhost.example", SpecialName::none}, {"invalid", SpecialName::nowhere},
      {"a.INVALID", SpecialName::nowhere},      {"abc.onion", SpecialName::nowhere},
      {"example.org", SpecialName::none},       {"", SpecialName::none},
  };
  for (const auto& [host, want] : cases) {
    CAPTURE(host);
    CHECK(special_name(host) == want);
  }
}

TEST_CASE("getaddrinfo is asked if a module of nsswitch.conf that c-ares does not have may answer") {
  struct Case {
    std::string why;
    std::string nsswitch;
    std::string host;
    bool system;
  };
  const Case cases[] = {
      {"no file", "", "db", false},
      {"no line for hosts", "passwd: files ldap\n", "db", false},
      {"files and DNS", "passwd: files\nhosts:          files dns\n", "db", false},
      {"without a line feed at the end", "hosts: dns files", "db", false},
      {"systemd-resolved, with an action", "hosts: files resolve [!UNAVAIL=return] dns\n", "db", false},
      {"an action of several words", "hosts: files [NOTFOUND=return success=continue] dns\n", "db", false},
      {"LDAP", "hosts: files ldap dns\n", "example.org", true},
      {"LDAP behind an action", "hosts: files dns [NOTFOUND=return] ldap\n", "example.org", true},
      {"LDAP in a comment", "hosts: files dns # ldap\n", "example.org", false},
      {"mDNS for a name of mDNS", "hosts: files mdns4_minimal [NOTFOUND=return] dns\n", "printer.local", true},
      {"mDNS for such a name, with capitals", "hosts: files mdns dns\n", "Printer.Local.", true},
      {"mDNS for another name", "hosts: files mdns4_minimal [NOTFOUND=return] dns\n", "example.org", false},
      {"mDNS for a name that only ends so", "hosts: files mdns4 dns\n", "mylocal", false},
      {"this machine's name", "hosts: files myhostname dns\n", "web-1", true},
      {"a name with a dot beside myhostname", "hosts: files myhostname dns\n", "example.org", false},
      {"an action without a space before it", "hosts: files resolve[!UNAVAIL=return] dns\n", "example.org", true},
  };
  for (const auto& [why, nsswitch, host, system] : cases) {
    CAPTURE(why);
    CHECK(needs_system(nsswitch, host) == system);
  }
}

}  // namespace volt::net
