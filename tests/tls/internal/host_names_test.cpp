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
  names.add("*.example.com", 3);  // claimed already
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
      {"a label of a hyphen and digits", "a-1.example.com", 1},
      {"an exact name goes before a wildcard", "special.example.com", 2},
      {"the star is one label", "a.b.example.com", kNone},
      {"the deeper wildcard", "a.deep.example.com", 4},
      {"the star is not no label", ".example.com", kNone},
      {"the end of a name is not the name", "badexample.com", kNone},
      {"nor is its beginning", "example.com.evil", kNone},
      {"one label", "single", 5},
      {"another top", "example.org", kNone},
      {"no host", "", kNone},
      {"a dot", ".", kNone},
      {"dots", "..", kNone},
  };
  for (const Case& c : cases) {
    CAPTURE(c.why);
    CHECK(names.find(c.host).value_or(kNone) == c.certificate);
  }
}

TEST_CASE("what is no wildcard of RFC 9525 is for no host") {
  HostNames names;
  for (const std::string name :
       {"*", "*.", "w*.example.com", "*w.example.com", "www.*.com", "*.*.com", "", ".", "*..com"})
    names.add(name, 0);
  for (const std::string host : {"www.example.com", "w.example.com", "a.com", "a.b.com", "com", "", "*", "*."})
    CHECK_FALSE(names.find(host).has_value());
}

TEST_CASE("only the letters of ASCII have two cases") {
  CHECK(lower_case("WwW.EXAMPLE.com") == "www.example.com");
  CHECK(lower_case("\xc3\x84@[`{") == "\xc3\x84@[`{");
}

}  // namespace volt::tls::internal
