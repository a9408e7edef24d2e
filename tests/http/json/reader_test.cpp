// SPDX-License-Identifier: MIT

#include "http/json/reader.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::json {
namespace {
TEST_SUITE_BEGIN("http/json/reader");

using namespace std::string_view_literals;

// Returns the error of a whole document, or nullopt.
std::optional<JsonError> problem(std::string_view text, const JsonOptions& options = {}) {
  Reader reader(options);
  if (reader.parse(text)) return std::nullopt;
  CHECK(!reader.error().detail.empty());
  CHECK(reader.error().path.empty());
  return reader.error();
}

bool good(std::string_view text, const JsonOptions& options = {}) { return !problem(text, options); }

TEST_CASE("every document of RFC 8259 is accepted") {
  const struct {
    std::string why;
    std::string_view text;
  } cases[] = {
      {"section 3: any value is a document", "null"},
      {"section 3", "true"},
      {"section 3", "false"},
      {"section 3", "\"\""},
      {"section 2: white space around tokens", " \t\r\n[ \n1 , 2 ]\r\n"},
      {"section 4: white space in objects", R"({ "a" : 1 , "b" : { } })"},
      {"section 4: an empty name", R"({"":0})"},
      {"section 4: names may repeat in ignored objects", R"({"a":0,"a":1})"},
      {"section 5: values of mixed kinds", R"([null,true,"x",1,[],{}])"},
      {"section 6: zero", "0"},
      {"section 6: minus zero", "-0"},
      {"section 6: fraction", "-0.5"},
      {"section 6: zeros after the point", "1.000"},
      {"section 6: exponents", "[1e5,1E5,1e+5,1e-5,0e0,1.5E-10]"},
      {"section 6: zeros before an exponent's digits", "1e007"},
      {"section 6: the bounds of 64 bits", "[-9223372036854775808,18446744073709551615]"},
      {"section 6: more digits than any integer, with a point", "123456789012345678901234567890.0"},
      {"section 6: an exponent below the range", "1e-99999999999999999999"},
      {"section 6: zero, whatever the exponent", "0e999999999999999999999"},
      {"section 7: the short escapes", R"("\"\\\/\b\f\n\r\t")"},
      {"section 7: any code unit", R"("\u0000\u00e9\u20AC\uFFFF")"},
      {"section 7: a surrogate pair", R"("\uD83D\uDE00")"},
      {"section 7: DEL and U+2028 stand for themselves", "\"\x7f\u2028\""},
      {"section 8.1: UTF-8", "\"é€😀\""},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CAPTURE(std::string(text));
    CHECK(good(text));
  }
}

TEST_CASE("text that is not JSON is refused") {
  const struct {
    std::string why;
    std::string_view text;
  } cases[] = {
      {"nothing", ""},
      {"white space", " \n"},
      {"section 8.1: a byte order mark", "\xef\xbb\xbf{}"},
      {"section 2: form feed is not white space", "\f1"},
      {"section 2: no-break space",
       "\u00a0"
       "1"},
      {"two documents", "1 2"},
      {"an additional closing bracket", "[]]"},
      {"NUL after a document", "[]\0"sv},
      {"section 3: capitals", "True"},
      {"section 3: an incomplete word", "nul"},
      {"section 3: a word that is too long", "nullx"},
      {"not JSON: undefined", "undefined"},
      {"not JSON: NaN", "NaN"},
      {"not JSON: comment", "/* */1"},
      {"not JSON: line comment", "1 // x"},
      {"section 5: comma at the end", "[1,]"},
      {"section 5: comma in front", "[,1]"},
      {"section 5: comma alone", "[,]"},
      {"section 5: two commas", "[1,,2]"},
      {"section 5: no comma", "[1 2]"},
      {"section 5: the wrong bracket", "[1}"},
      {"section 5: not closed", "[1"},
      {"section 5: only opened", "["},
      {"section 4: comma at the end", R"({"a":1,})"},
      {"section 4: no value", R"({"a":})"},
      {"section 4: no colon", R"({"a" 1})"},
      {"section 4: name alone", R"({"a"})"},
      {"section 4: bare name", "{a:1}"},
      {"section 4: number as name", "{1:1}"},
      {"section 4: single quotes", "{'a':1}"},
      {"section 4: the wrong bracket", R"({"a":1])"},
      {"section 4: two colons", R"({"a"::1})"},
      {"section 6: plus", "+1"},
      {"section 6: no digit before the point", ".5"},
      {"section 6: leading zero", "01"},
      {"section 6: leading zeros, negative", "-00"},
      {"section 6: minus alone", "-"},
      {"section 6: two minuses", "--1"},
      {"section 6: no digit before the point, after a minus", "-.5"},
      {"section 6: no digit after the point", "1."},
      {"section 6: no digit before the exponent", "1.e5"},
      {"section 6: hex", "0x1F"},
      {"section 6: underscore", "1_000"},
      {"not JSON: infinity", "-Infinity"},
      {"NUL after a number", "1\0"sv},
      {"section 6: comma", "1,5"},
      {"section 7: not closed", "\"abc"},
      {"section 7: closed by an escape", "\"abc\\\""},
      {"section 7: a control character", "\"a\nb\""},
      {"section 7: NUL", "\"a\0b\""sv},
      {"section 7: control character after an escape", "\"\\n\t\""},
      {"section 7: unknown escape", R"("\x41")"},
      {"section 7: octal escape", R"("\0")"},
      {"section 7: an escape at the end", "\"\\"},
      {"section 7: escaped line end", "\"\\\n\""},
      {"section 7: three digits", R"("\u12")"},
      {"section 7: not a hexadecimal digit", R"("\u12G4")"},
      {"section 7: capital U", R"("\U0041")"},
      {"section 7: braces", R"("\u{41}")"},
      {"section 8.2: high surrogate alone", R"("\uD83D")"},
      {"section 8.2: high surrogate before text", R"("\uD83Dx")"},
      {"section 8.2: high surrogate before another escape", R"("\uD83D\n")"},
      {"section 8.2: two high surrogates", R"("\uD83D\uD83D")"},
      {"section 8.2: low surrogate alone", R"("\uDE00")"},
      {"section 8.1: no UTF-8", "\"\xff\""},
      {"section 8.1: overlong", "\"\xc0\xaf\""},
      {"section 8.1: a surrogate as bytes", "\"\xed\xa0\x80\""},
      {"section 8.1: cut off", "\"\xe2\x82\""},
      {"section 8.1: UTF-16", "\xff\xfe[\0]\0"sv},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CAPTURE(std::string(text));
    const auto error = problem(text);
    REQUIRE(error.has_value());
    CHECK(error->kind == JsonError::Kind::syntax);
  }
}

TEST_CASE("a number that is too large is refused anywhere in the document") {
  const struct {
    std::string why;
    std::string text;
  } cases[] = {
      {"above 64 bits", "18446744073709551616"},
      {"below 64 bits", "-9223372036854775809"},
      {"a double as JavaScript writes it", "100000000000000000000"},
      {"above a double", "1.7976931348623159e308"},
      {"above a double, by its exponent", "-1e309"},
      {"above a double, by a short number", "9E999"},
      {"above a double, by its digits", std::string(400, '9') + ".5"},
      {"an exponent beyond all bounds", "1e+99999999999999999999"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CHECK(problem(R"({"a":[0,)" + text + "]}") ==
          JsonError{JsonError::Kind::range, "", "a number exceeds 64 bits or the range of a double"});
  }
  CHECK(problem("18446744073709551616")->kind == JsonError::Kind::range);
}

TEST_CASE("a syntax error reports its reason and position") {
  const struct {
    std::string_view text;
    std::string_view want;
  } cases[] = {
      {"", "invalid JSON: the text is empty"},
      {" ", "invalid JSON: the text is empty"},
      {"\xef\xbb\xbf{}", "invalid JSON: the text begins with a byte order mark"},
      {"[1 2]", "invalid JSON: a comma or closing bracket is missing at line 1, column 4"},
      {"{\n  \"a\": 1,\n  \"b\" 2\n}", "invalid JSON: a colon is missing at line 3, column 7"},
      {"[1e5,01]", "invalid JSON: a number is malformed at line 1, column 6"},
      {"[18446744073709551616,]", "invalid JSON: a value is missing at line 1, column 23"},
  };
  for (const auto& [text, want] : cases) {
    CAPTURE(std::string(text));
    CHECK(problem(text) == JsonError{JsonError::Kind::syntax, "", std::string(want)});
  }
}

TEST_CASE("no proper prefix of an array or object is a document") {
  const std::string_view text =
      R"( {"a": [1, -2.5e+3, true, null, {"b\u00e9\ud83d\ude00": "c\n€"}], "d": {}, "e": []})";
  CHECK(good(text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const std::string prefix(text.substr(0, size));  // a copy, so that a sanitizer reports a read beyond its end
    CHECK_FALSE(good(prefix));
  }
}

TEST_CASE("no byte beyond a text is read") {
  for (const std::string_view text : {"1", "-1.5", "true", "null", "\"12345678\"", "\"\\n\"", "[]"}) {
    const std::vector<char> exact(text.begin(), text.end());
    CHECK(good({exact.data(), exact.size()}));
  }
}

TEST_CASE("strings are unescaped") {
  const struct {
    std::string why;
    std::string_view text;
    std::string_view want;
  } cases[] = {
      {"none", R"("abc")", "abc"},
      {"all short ones", R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {"one byte", R"("\u0041\u007f")", "A\x7f"},
      {"NUL", R"("a\u0000b")", "a\0b"sv},
      {"two bytes", R"("\u0080\u07FF")", "\u0080\u07FF"},
      {"three bytes", R"("\u0800\uffff")", "\u0800\uffff"},
      {"pairs, the first and the last", R"("\ud800\udc00\uDBFF\uDFFF")", "\U00010000\U0010FFFF"},
      {"between runs", R"("12345678\n12345678\\")", "12345678\n12345678\\"},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    Reader reader({});
    REQUIRE(reader.parse(text));
    std::string value;
    CHECK(reader.read_string(value));
    CHECK(value == want);
  }
}

TEST_CASE("depth counts arrays and objects that are not empty, up to the limit") {
  const JsonOptions three{.depth_max = 3};
  CHECK(good("[[[1]]]", three));
  CHECK(good(R"({"a":[{"b":1}]})", three));
  CHECK(good("[[[1],[2]],[[3]]]", three));
  CHECK(good("[[[[],{}]]]", three));
  CHECK(problem("[[[[1]]]]", three) ==
        JsonError{JsonError::Kind::too_deep, "", "expected at most 3 nested arrays and objects"});
  CHECK_FALSE(good(R"([{"a":{"b":{"c":1}}}])", three));
  CHECK(good("1", {.depth_max = 0}));
  CHECK(good("[]", {.depth_max = 0}));
  CHECK_FALSE(good("[1]", {.depth_max = 0}));
}

TEST_CASE("without a depth limit the memory stays proportional to the text") {
  const JsonOptions unlimited{.depth_max = std::numeric_limits<std::size_t>::max()};
  CHECK(good("[[[1]]]", unlimited));
  CHECK(good(std::string(10'000, '[') + std::string(10'000, ']'), unlimited));
}

TEST_CASE("a million brackets fail at the limit, not in quadratic time") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(good(std::string(1'000'000, '[')));
  const auto error = problem(std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  REQUIRE(error.has_value());
  CHECK(error->kind == JsonError::Kind::too_deep);
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  CHECK_FALSE(good(objects));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("ignored values are skipped") {
  Reader reader({});
  REQUIRE(reader.parse(R"([[1,[2]],{"a":3},"x",true,4])"));
  std::size_t elements = 0;
  for (Step step = reader.open_array(); step == Step::item; step = reader.next_element()) ++elements;
  CHECK(elements == 5);
}

TEST_CASE("a view of a string is valid as long as the reader exists") {
  Reader reader({});
  REQUIRE(reader.parse(R"({"a\n":"b\t","c":"d"})"));
  std::string_view first_key;
  std::string_view first_value;
  REQUIRE(reader.open_object(first_key) == Step::item);
  REQUIRE(reader.read_string_view(first_value));
  std::string_view key;
  std::string_view value;
  REQUIRE(reader.next_member(key) == Step::item);
  REQUIRE(reader.read_string_view(value));
  CHECK(reader.next_member(key) == Step::end);
  CHECK(first_key == "a\n");
  CHECK(first_value == "b\t");
  CHECK(key == "c");
  CHECK(value == "d");
}

TEST_CASE("a probe does not advance the reader") {
  Reader reader({});
  REQUIRE(reader.parse("[[1],2]"));
  REQUIRE(reader.open_array() == Step::item);
  Reader probe = reader.probe();
  CHECK(probe.open_array() == Step::item);
  CHECK(probe.peek() == Kind::number);
  CHECK(probe.next_element() == Step::end);
  CHECK(reader.peek() == Kind::array);
  CHECK(reader.next_element() == Step::item);
  CHECK(reader.peek() == Kind::number);
  CHECK(reader.next_element() == Step::end);
}

TEST_CASE("text is shortened at character boundaries") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc");
  CHECK(shortened("a€b", 3) == "a");
  CHECK(shortened("a€b", 4) == "a€");
  CHECK(shortened("€", 0) == "");
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::json
