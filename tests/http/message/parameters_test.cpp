// SPDX-License-Identifier: MIT

#include "http/message/parameters.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/parameters");

namespace {

// Returns `[name=value]` for each parameter, `"value"` if quoted, and '!' where the rest is malformed.
std::string shown(std::string_view line) {
  std::string text;
  Parameters parameters(line);
  while (const auto parameter = parameters.next()) {
    const std::string_view quote = parameter->quoted ? "\"" : "";
    text.append("[").append(parameter->name).append("=").append(quote);
    text.append(parameter->value).append(quote).append("]");
  }
  CHECK(parameters.next() == std::nullopt);
  return parameters.malformed() ? text + "!" : text;
}

}  // namespace

TEST_CASE("parameters are returned in order, up to the first malformed one, RFC 9110 section 5.6.6") {
  const struct {
    std::string why, text, want;
  } cases[] = {
      {"none", "", ""},
      {"white space only", " \t", ""},
      {"two parameters", ";a=1 ; b=2", "[a=1][b=2]"},
      {"empty ones", ";;a=1; ;", "[a=1]"},
      {"quoted, with escapes left", ";a=\"b\\\"; c=\\\\\";d=\"\"", "[a=\"b\\\"; c=\\\\\"][d=\"\"]"},
      {"no semicolon", "a=1", "!"},
      {"no semicolon between", ";a=1 b=2", "[a=1]!"},
      {"no value", ";a=1;b", "[a=1]!"},
      {"an empty token", ";a=", "!"},
      {"no name", ";=1", "!"},
      {"white space around the equals sign", ";a =1", "!"},
      {"quotes that stay open", ";a=\"1", "!"},
      {"quotes that an escape keeps open", ";a=\"1\\\"", "!"},
      {"a control in quotes", ";a=\"\n\"", "!"},
      {"text after quotes", ";a=\"1\"2", "[a=\"1\"]!"},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(shown(text) == want);
  }
}

TEST_CASE("an escape stands for the byte after the backslash, RFC 9110 section 5.6.4") {
  CHECK(without_escapes("a\\b\\\\\\\"c") == "ab\\\"c");
  CHECK(without_escapes("\\") == "\\");
  CHECK(without_escapes("").empty());
}

TEST_CASE("a comma in quotes does not split a list, RFC 9110 section 5.6.1") {
  const auto elements = [](std::string_view list) {
    std::string text;
    while (!list.empty()) text.append("[").append(take_quoted_list_element(list)).append("]");
    return text;
  };
  CHECK(elements(" a , \"b,c\"d\t,, e") == "[a][\"b,c\"d][][e]");
  CHECK(elements("\"\\\",\",a") == "[\"\\\",\"][a]");
  CHECK(elements("a,\"b,c") == "[a][\"b,c]");
  CHECK(elements("\"") == "[\"]");
  CHECK(elements("a,\"\\") == "[a][\"\\]");
}

TEST_SUITE_END();
}  // namespace volt::http::message
