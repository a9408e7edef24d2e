// SPDX-License-Identifier: MIT

#include "tls/internal/host_names.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>

namespace volt::tls::internal {

TEST_SUITE_BEGIN("tls/internal/host_names");

TEST_CASE("a host finds the certificate that names it, or a wildcard for its first label") {
  HostNames names;
  names.add("example.com", 0);
  names.add("*.Example.com", 1);
  names.add("special.example.com", 2);
  names.add("*.example.com", 3);  // another certificate already has this name
  names.add("*.deep.example.com", 4);
  names.add("single", 5);
  constexpr std::size_t kNone = 99;
  struct Case {
    std::string why;
    std::string host;
    std::size_t certificate;
  };
  const Case cases[] = {
      {"an exact name", "example.com", 0},
      {"a label for the star", "www.example.com", 1},
      {"a label with a hyphen and a digit", "a-1.example.com", 1},
      {"an exact name takes precedence over a wildcard", "special.example.com", 2},
      {"the star does not match two labels", "a.b.example.com", kNone},
      {"a wildcard of a deeper domain", "a.deep.example.com", 4},
      {"the star does not match an empty label", ".example.com", kNone},
      {"a longer name with an equal end", "badexample.com", kNone},
      {"a longer name with an equal beginning", "example.com.evil", kNone},
      {"a name of one label", "single", 5},
      {"another top-level domain", "example.org", kNone},
      {"no host", "", kNone},
      {"a dot", ".", kNone},
      {"dots", "..", kNone},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names.find(c.host).value_or(kNone) == c.certificate);
  }
}

TEST_CASE("malformed wildcards of RFC 9525 match no host") {
  HostNames names;
  for (const std::string name :
       {"*", "*.", "w*.example.com", "*w.example.com", "www.*.com", "*.*.com", "", ".", "*..com"})
    names.add(name, 0);
  for (const std::string host : {"www.example.com", "w.example.com", "a.com", "a.b.com", "com", "", "*", "*."})
    CHECK_FALSE(names.find(host).has_value());
}

TEST_CASE("only ASCII letters are converted to lower case") {
  CHECK(lower_case("WwW.EXAMPLE.com") == "www.example.com");
  CHECK(lower_case("\xc3\x84@[`{") == "\xc3\x84@[`{");
}

}  // namespace volt::tls::internal
