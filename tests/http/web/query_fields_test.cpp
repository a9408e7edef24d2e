// SPDX-License-Identifier: MIT

#include "http/web/query_fields.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::web {
using namespace std::string_literals;
TEST_SUITE_BEGIN("http/web/query_fields");

namespace {

// Formats each field as `[name=value]`.
std::string shown(std::string_view query) {
  const auto fields = parse_query_fields(query);
  if (!fields) return std::string(to_sentence(fields.error()));
  std::string text;
  for (const auto& [name, value] : *fields) text.append("[").append(name).append("=").append(value).append("]");
  return text;
}

}  // namespace

TEST_CASE("a query is split before it is decoded, WHATWG URL section 5.1") {
  const struct {
    std::string why, query, want;
  } cases[] = {
      {"one", "a=1", "[a=1]"},
      {"two", "a=1&b=2", "[a=1][b=2]"},
      {"repeated names, in their order", "a=2&b=3&a=1", "[a=2][b=3][a=1]"},
      {"'+' is a space", "a+b=c++d", "[a b=c  d]"},
      {"escapes, in both cases", "%61=%4a%4A", "[a=JJ]"},
      {"an escaped plus", "a=1%2B1", "[a=1+1]"},
      {"escaped separators", "a%26b%3Dc=d%26e%3Df", "[a&b=c=d&e=f]"},
      {"fields are decoded once", "a=%2541", "[a=%41]"},
      {"only the first '=' separates", "a=b=c", "[a=b=c]"},
      {"no '='", "a&b", "[a=][b=]"},
      {"no value", "a=&b=", "[a=][b=]"},
      {"no name", "=1&=", "[=1][=]"},
      {"empty pairs are skipped", "&&a=1&&&b=2&", "[a=1][b=2]"},
      {"nothing", "", ""},
      {"separators only", "&&&", ""},
      {"malformed escapes stay", "a=%&b=%4&c=%zz&d=%4&%=1", "[a=%][b=%4][c=%zz][d=%4][%=1]"},
      {"an escape does not extend over a separator", "a=%4&1=b", "[a=%4][1=b]"},
      {"a semicolon is not a separator", "a=1;b=2", "[a=1;b=2]"},
      {"brackets are ordinary characters of a name", "a[]=1&a[b]=2", "[a[]=1][a[b]=2]"},
      {"NUL and bytes above 0x7f are ordinary bytes", "a=%00%ff", "[a=\0\xff]"s},
  };
  for (const auto& [why, query, want] : cases) {
    CAPTURE(why);
    CHECK(shown(query) == want);
  }
}

TEST_CASE("the number of fields is limited") {
  std::string query;
  for (std::size_t i = 0; i < kQueryFieldsMax; ++i) query += "&a&";
  REQUIRE(parse_query_fields(query).has_value());
  CHECK(parse_query_fields(query)->size() == kQueryFieldsMax);
  CHECK(shown(query + "&&=") == "too many fields");
  CHECK(parse_query_fields("a&b", 2).has_value());
  CHECK_FALSE(parse_query_fields("a&b", 1).has_value());
  CHECK(parse_query_fields("&&", 0).has_value());
  CHECK(shown(std::string(1'000'000, '&')).empty());
}

TEST_SUITE_END();
}  // namespace volt::http::web
