// SPDX-License-Identifier: MIT

#include "http/message/media_type_value.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::message {
using namespace std::string_view_literals;
TEST_SUITE_BEGIN("http/message/media_type_value");

TEST_CASE("a media type is split by RFC 9110 section 8.3.1") {
  const struct {
    std::string why, text, type, subtype;
    std::string charset;
  } cases[] = {
      {"bare", "text/html", "text", "html", "-"},
      {"a parameter", "text/html;charset=utf-8", "text", "html", "utf-8"},
      {"white space around the semicolon", "text/html \t; charset=utf-8 ", "text", "html", "utf-8"},
      {"white space around all", " text/html ", "text", "html", "-"},
      {"names are case-insensitive, values stay as received", "Text/HTML;Charset=UTF-8", "Text", "HTML", "UTF-8"},
      {"quoted", "text/html; charset=\"utf-8\"", "text", "html", "utf-8"},
      {"quoted with escapes", "text/html; charset=\"u\\tf\\\"\\\\8\"", "text", "html", "utf\"\\8"},
      {"quoted text with all separators", "text/html; a=\"; charset=x, /\"; charset=y", "text", "html", "y"},
      {"quoted and empty", "text/html; charset=\"\"", "text", "html", ""},
      {"5.6.6: empty parameters", "text/html;; ;charset=x;", "text", "html", "x"},
      {"another parameter before", "a/b; x=charset; charset=c", "a", "b", "c"},
      {"a range", "*/*", "*", "*", "-"},
      {"a suffix", "application/problem+json", "application", "problem+json", "-"},
  };
  for (const auto& [why, text, type, subtype, charset] : cases) {
    CAPTURE(why);
    const auto value = MediaTypeValue::parse(text);
    REQUIRE(value.has_value());
    CHECK(value->type() == type);
    CHECK(value->subtype() == subtype);
    CHECK(value->essence() == type + "/" + subtype);
    CHECK(value->charset().value_or("-") == charset);
  }
}

TEST_CASE("malformed media types are refused as a whole") {
  const struct {
    std::string why;
    std::string_view text;
  } cases[] = {
      {"nothing", ""},
      {"white space", " "},
      {"one word", "text"},
      {"no type", "/html"},
      {"no subtype", "text/"},
      {"two slashes", "text/html/x"},
      {"white space inside", "text /html"},
      {"two words", "text/html charset=x"},
      {"a list", "text/html, text/plain"},
      {"a parameter without value", "text/html; charset"},
      {"a parameter with an empty token", "text/html; charset="},
      {"a parameter without name", "text/html; =x"},
      {"white space around the equals sign", "text/html; charset =x"},
      {"quotes that stay open", "text/html; charset=\"x"},
      {"quotes that end in an escape", "text/html; charset=\"x\\\""},
      {"a byte after the quotes", "text/html; charset=\"x\"y"},
      {"a control in the quotes", "text/html; charset=\"x\r\ny\""},
      {"a NUL", "text/html\0"sv},
      {"a NUL in the quotes", "text/html; charset=\"\0\""sv},
      {"a repeated name", "a/b; charset=x; y=z; CHARSET=x"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CHECK_FALSE(MediaTypeValue::parse(text).has_value());
  }
}

TEST_CASE("the number of parameters is limited") {
  std::string text = "a/b";
  for (std::size_t i = 0; i < MediaTypeValue::kParametersMax; ++i) text += ";p" + std::to_string(i) + "=v";
  REQUIRE(MediaTypeValue::parse(text).has_value());
  CHECK(MediaTypeValue::parse(text)->parameter("P15") == "v");
  text += ";q=v";
  CHECK_FALSE(MediaTypeValue::parse(text).has_value());
}

TEST_CASE("types are compared ignoring case, and a suffix begins after the last plus") {
  const auto problem = MediaTypeValue::parse("Application/Problem+JSON; charset=x");
  REQUIRE(problem.has_value());
  CHECK(problem->is("application/problem+json"));
  CHECK_FALSE(problem->is("application/json"));
  CHECK_FALSE(problem->is("application/problem+json; charset=x"));
  CHECK(problem->has_suffix("json"));
  CHECK_FALSE(problem->has_suffix("xml"));
  CHECK_FALSE(problem->has_suffix("problem+json"));
  CHECK_FALSE(MediaTypeValue::parse("application/json")->has_suffix("json"));
  CHECK(MediaTypeValue::parse("a/b+c+d")->has_suffix("d"));
}

TEST_SUITE_END();
}  // namespace volt::http::message
