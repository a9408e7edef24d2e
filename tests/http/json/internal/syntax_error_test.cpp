// SPDX-License-Identifier: MIT

#include "http/json/internal/syntax_error.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

#include "http/json/reader.h"

namespace volt::http::json {
namespace {
TEST_SUITE_BEGIN("http/json/internal/syntax_error");

using namespace std::string_view_literals;

TEST_CASE("the first syntax error is reported with its position, RFC 8259") {
  const struct {
    std::string_view text;
    std::size_t offset;
    std::string_view why;
  } cases[] = {
      {"", 0, "a value is missing"},
      {" \n", 2, "a value is missing"},
      {"[", 1, "a value is missing"},
      {"[1,]", 3, "a value is missing"},
      {"[,1]", 1, "a value is missing"},
      {".5", 0, "a value is missing"},
      {"+1", 0, "a value is missing"},
      {"\xff", 0, "a value is missing"},
      {"\0"sv, 0, "a value is missing"},
      {"{", 1, "a member name in quotes is missing"},
      {"{a:1}", 1, "a member name in quotes is missing"},
      {R"({"a":1,})", 7, "a member name in quotes is missing"},
      {R"({"a" 1})", 5, "a colon is missing"},
      {R"({"a")", 4, "a colon is missing"},
      {R"({"a":})", 5, "a value is missing"},
      {R"({"a"::1})", 5, "a value is missing"},
      {"[1 2]", 3, "a comma or closing bracket is missing"},
      {"[1}", 2, "a comma or closing bracket is missing"},
      {R"({"a":1])", 6, "a comma or closing bracket is missing"},
      {"[[1]", 4, "a comma or closing bracket is missing"},
      {"[]]", 2, "there is text after the document"},
      {"1 2", 2, "there is text after the document"},
      {"[]\0"sv, 2, "there is text after the document"},
      {"0x1F", 1, "there is text after the document"},
      {"[nul]", 1, "a word is not true, false or null"},
      {"[1, nullx]", 4, "a word is not true, false or null"},
      {"True", 0, "a word is not true, false or null"},
      {"[01]", 1, "a number is malformed"},
      {"[-]", 1, "a number is malformed"},
      {"[1.]", 1, "a number is malformed"},
      {"[1.e5]", 1, "a number is malformed"},
      {"[1e]", 1, "a number is malformed"},
      {"[1e+-1]", 1, "a number is malformed"},
      {"[--1]", 1, "a number is malformed"},
      {R"(["ab)", 1, "a string is not closed"},
      {R"(["ab\")", 1, "a string is not closed"},
      {R"(["\)", 2, "an escape is unknown"},
      {R"("a\x41")", 2, "an escape is unknown"},
      {R"("a\u12G4")", 2, "an escape is unknown"},
      {R"("\uD83Dx")", 1, "an escape is half a surrogate pair"},
      {R"("\uD83D\n")", 1, "an escape is half a surrogate pair"},
      {R"("\uD83D\uD83D")", 1, "an escape is half a surrogate pair"},
      {R"("\uDE00")", 1, "an escape is half a surrogate pair"},
      {"\"a\nb\"", 2, "a control character in a string must be escaped"},
      {"\"12345678\xff\"", 9, "the text is not UTF-8"},
      {"\"\xe2\x82\"", 1, "the text is not UTF-8"},
      {"[nul, 01", 1, "a word is not true, false or null"},
  };
  for (const auto& [text, offset, why] : cases) {
    CAPTURE(std::string(text));
    const auto syntax_error = find_syntax_error(text);
    REQUIRE(syntax_error.has_value());
    CHECK(syntax_error->offset == offset);
    CHECK(std::string(syntax_error->message) == std::string(why));
  }
}

TEST_CASE("JSON has no syntax error, whatever its numbers and its depth") {
  const std::string_view cases[] = {
      "null",
      " [ ] ",
      "{ }",
      R"( {"a": [1, -2.5e+3, true, null, {"b\u00e9\ud83d\ude00": "c\n€"}], "d": {}, "e": []})",
      "[-0,0e0,1E-7,18446744073709551616,1e999]",
      "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\uFFFF\x7f\"",
  };
  for (const std::string_view text : cases) {
    CAPTURE(std::string(text));
    CHECK_FALSE(find_syntax_error(text));
  }
  CHECK_FALSE(find_syntax_error(std::string(100'000, '[') + std::string(100'000, ']')));
}

TEST_CASE("an error is found in every text that the reader refuses, and in no other") {
  constexpr std::string_view text =
      R"({"a":[1,-2.5e+3,true,null,{"b\u00e9\ud83d\ude00":"c\n€"}],"d":{},"e":[1e9,"12345678"]})";
  constexpr std::string_view bytes = "\"\\{}[]:,0123eE+-. \n\ttrufalsn\x01\x80\xc3\xff";
  std::mt19937 random(8259);
  for (int round = 0; round != 20'000; ++round) {
    std::string mutated(text);
    for (unsigned changes = random() % 3; changes != static_cast<unsigned>(-1); --changes) {
      const std::size_t at = random() % mutated.size();
      if (random() % 3 == 0) {
        mutated.erase(at, 1);
      } else {
        mutated.insert(at, 1, bytes[random() % bytes.size()]);
      }
    }
    CAPTURE(mutated);
    Reader reader({});
    const bool refused = !reader.parse(mutated) && reader.error().kind == JsonError::Kind::syntax;
    REQUIRE(find_syntax_error(mutated).has_value() == refused);
  }
}

TEST_CASE("a position is reported as line and column, in characters") {
  const struct {
    std::string_view before;
    std::string want;
  } cases[] = {
      {"", "line 1, column 1"},          {"ab", "line 1, column 3"},  {"ab\n", "line 2, column 1"},
      {"a\r\n\n b", "line 3, column 3"}, {"€😀", "line 1, column 3"},
  };
  for (const auto& [before, want] : cases) CHECK(place_of(before.size(), std::string(before) + "x\ny") == want);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::json
