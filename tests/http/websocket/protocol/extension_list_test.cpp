// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/extension_list.h"

#include <doctest/doctest.h>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/protocol/extension_list");

TEST_CASE("a list of extensions has the grammar of RFC 6455 section 9.1") {
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
      {"no white space", "a;x=1,b", List{{"a", {{"x", "1"}}}, {"b", {}}}},
      {"9110 5.6.1.2: empty elements", ", a,, b,", List{{"a", {}}, {"b", {}}}},
      {"a repeated extension", "a;x, a", List{{"a", {{"x", {}}}}, {"a", {}}}},
      {"no name", ";x", std::nullopt},
      {"no parameter", "a;", std::nullopt},
      {"an empty parameter", "a;;x", std::nullopt},
      {"no value", "a;x=", std::nullopt},
      {"no value, quoted", "a;x=\"\"", std::nullopt},
      {"no name before '='", "a;=1", std::nullopt},
      {"two names", "a b", std::nullopt},
      {"two values", "a;x=1 2", std::nullopt},
      {"a value that is not a token", "a;x=[", std::nullopt},
      {"a quoted value that is not a token", "a;x=\"1 0\"", std::nullopt},
      {"a comma in quotes is not a token", "a;x=\"1,b\"", std::nullopt},
      {"quotes not closed", "a;x=\"10", std::nullopt},
      {"quotes not closed after an escape", "a;x=\"10\\", std::nullopt},
      {"bytes after the quotes", "a;x=\"10\"1", std::nullopt},
      {"a quoted name", "\"a\"", std::nullopt},
      {"8-bit bytes", "a;x=\xff", std::nullopt},
      {"a valid element before an invalid one", "a, b;", std::nullopt},
  };
  for (const auto& [why, field, want] : cases) {
    CAPTURE(why);
    List list;
    CHECK(append_extensions(field, list) == want.has_value());
    if (want) CHECK((list == *want));
  }
}

TEST_CASE("several fields form one list") {
  std::vector<Extension> list;
  CHECK(append_extensions("a", list));
  CHECK(append_extensions("b;x", list));
  CHECK((list == std::vector<Extension>{{"a", {}}, {"b", {{"x", {}}}}}));
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
