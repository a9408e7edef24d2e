#include "http/websocket/protocol/extension_list.h"

#include <doctest/doctest.h>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/extension_list");

TEST_CASE("a list of extensions is what RFC 6455 section 9.1 says, and nothing else") {
  using List = std::vector<Extension>;
  const struct {
    std::string why;
    std::string field;
    std::optional<List> want;
  } cases[] = {
      {"nothing", "", List{}},
      {"one", "a", List{{"a", {}}}},
      {"two", "a, b", List{{"a", {}}, {"b", {}}}},
      {"with parameters", "a; x; y=1", List{{"a", {{"x", {}}, {"y", "1"}}}}},
      {"quoted", "a; x=\"10\"", List{{"a", {{"x", "10"}}}}},
      {"quoted, with escapes", "a; x=\"1\\0\"", List{{"a", {{"x", "10"}}}}},
      {"white space anywhere between", " a\t;x = 1 ,\tb ", List{{"a", {{"x", "1"}}}, {"b", {}}}},
      {"none at all", "a;x=1,b", List{{"a", {{"x", "1"}}}, {"b", {}}}},
      {"9110 5.6.1.2: empty elements", ", a,, b,", List{{"a", {}}, {"b", {}}}},
      {"the same twice", "a;x, a", List{{"a", {{"x", {}}}}, {"a", {}}}},
      {"no name", ";x", std::nullopt},
      {"no parameter", "a;", std::nullopt},
      {"no parameter between", "a;;x", std::nullopt},
      {"no value", "a;x=", std::nullopt},
      {"no value, quoted", "a;x=\"\"", std::nullopt},
      {"no name of a parameter", "a;=1", std::nullopt},
      {"two names", "a b", std::nullopt},
      {"two values", "a;x=1 2", std::nullopt},
      {"a value that is no token", "a;x=[", std::nullopt},
      {"quoted, no token", "a;x=\"1 0\"", std::nullopt},
      {"a comma in quotes is no token either", "a;x=\"1,b\"", std::nullopt},
      {"quotes not closed", "a;x=\"10", std::nullopt},
      {"nor behind an escape", "a;x=\"10\\", std::nullopt},
      {"bytes behind quotes", "a;x=\"10\"1", std::nullopt},
      {"a quoted name", "\"a\"", std::nullopt},
      {"8-bit bytes", "a;x=\xff", std::nullopt},
      {"a good one before a bad one", "a, b;", std::nullopt},
  };
  for (const auto& [why, field, want] : cases) {
    CAPTURE(why);
    List list;
    CHECK(append_extensions(field, list) == want.has_value());
    if (want) CHECK((list == *want));
  }
}

TEST_CASE("several fields are one list") {
  std::vector<Extension> list;
  CHECK(append_extensions("a", list));
  CHECK(append_extensions("b;x", list));
  CHECK((list == std::vector<Extension>{{"a", {}}, {"b", {{"x", {}}}}}));
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
