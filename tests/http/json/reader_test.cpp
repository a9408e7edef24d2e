#include "http/json/reader.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace volt::http::json {
namespace {
TEST_SUITE_BEGIN("http/json/reader");

using namespace std::string_view_literals;

// The error of a whole document, or "" if it is good.
std::string problem(std::string_view text, const JsonOptions& options = {}) {
  Reader reader(text, options);
  if (reader.check_utf8() && reader.skip() && reader.check_end()) return "";
  const bool deep = reader.error().kind == JsonError::Kind::too_deep;
  CHECK((deep || reader.error().kind == JsonError::Kind::syntax));
  return reader.error().detail;
}

TEST_CASE("each document of RFC 8259 is taken") {
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
      {"section 4: names may repeat where nobody reads them", R"({"a":0,"a":1})"},
      {"section 5: values of mixed kinds", R"([null,true,"x",1,[],{}])"},
      {"section 6: zero", "0"},
      {"section 6: minus zero", "-0"},
      {"section 6: fraction", "-0.5"},
      {"section 6: zeros behind the point", "1.000"},
      {"section 6: exponents", "[1e5,1E5,1e+5,1e-5,0e0,1.5E-10]"},
      {"section 6: zeros before an exponent's digits", "1e007"},
      {"section 6: larger than any double", "1e999999999999999999999"},
      {"section 6: more digits than any integer", "123456789012345678901234567890"},
      {"section 7: the short escapes", R"("\"\\\/\b\f\n\r\t")"},
      {"section 7: any unit", R"("\u0000\u00e9\u20AC\uFFFF")"},
      {"section 7: a surrogate pair", R"("\uD83D\uDE00")"},
      {"section 7: DEL and U+2028 stand for themselves", "\"\x7f\u2028\""},
      {"section 8.1: UTF-8", "\"é€😀\""},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CAPTURE(std::string(text));
    CHECK(problem(text) == "");
  }
}

TEST_CASE("what is no JSON is refused") {
  const struct {
    std::string why;
    std::string_view text;
  } cases[] = {
      {"nothing", ""},
      {"white space", " \n"},
      {"section 8.1: a byte order mark", "\xef\xbb\xbf{}"},
      {"section 2: form feed is no white space", "\f1"},
      {"section 2: no-break space",
       "\u00a0"
       "1"},
      {"two documents", "1 2"},
      {"a closing bracket too many", "[]]"},
      {"NUL behind", "1\0"sv},
      {"section 3: capitals", "True"},
      {"section 3: cut words", "nul"},
      {"section 3: longer words", "nullx"},
      {"not JSON: undefined", "undefined"},
      {"not JSON: NaN", "NaN"},
      {"not JSON: infinity", "-Infinity"},
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
      {"section 6: leading zero", "01"},
      {"section 6: leading zeros, negative", "-00"},
      {"section 6: minus alone", "-"},
      {"section 6: two minuses", "--1"},
      {"section 6: no digit before the point", ".5"},
      {"section 6: nor after a minus", "-.5"},
      {"section 6: no digit after the point", "1."},
      {"section 6: nor before the exponent", "1.e5"},
      {"section 6: empty exponent", "1e"},
      {"section 6: signs alone", "1e+"},
      {"section 6: two signs", "1e+-1"},
      {"section 6: hex", "0x1F"},
      {"section 6: underscore", "1_000"},
      {"section 6: comma", "1,5"},
      {"section 7: not closed", "\"abc"},
      {"section 7: closed by an escape", "\"abc\\\""},
      {"section 7: a control character", "\"a\nb\""},
      {"section 7: NUL", "\"a\0b\""sv},
      {"section 7: control behind an escape", "\"\\n\t\""},
      {"section 7: unknown escape", R"("\x41")"},
      {"section 7: octal escape", R"("\0")"},
      {"section 7: escape of nothing", "\"\\"},
      {"section 7: escaped line end", "\"\\\n\""},
      {"section 7: three digits", R"("\u12")"},
      {"section 7: no hex digit", R"("\u12G4")"},
      {"section 7: capital U", R"("\U0041")"},
      {"section 7: braces", R"("\u{41}")"},
      {"section 8.2: high surrogate alone", R"("\uD83D")"},
      {"section 8.2: high surrogate before text", R"("\uD83Dx")"},
      {"section 8.2: high surrogate before another escape", R"("\uD83D\n")"},
      {"section 8.2: two high ones", R"("\uD83D\uD83D")"},
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
    CHECK(problem(text) != "");
  }
}

TEST_CASE("a syntax error says where") {
  CHECK(problem("") == "no JSON: expected a value at line 1, column 1, where the text ends");
  CHECK(problem("[1,\n 2 3]") == "no JSON: expected ',' or ']' at line 2, column 4");
  CHECK(problem("{\"a\":1,\n\n}") == "no JSON: expected a member's name in quotes at line 3, column 1");
  CHECK(problem("[1] x") == "no JSON: something follows the document at line 1, column 5");
  CHECK(problem("\"ab") == "no JSON: expected '\"' after a string at line 1, column 4, where the text ends");
  CHECK(problem("\"\xff\"") == "no JSON: the text is not UTF-8");
}

TEST_CASE("no prefix of an array or object is a document") {
  const std::string_view text =
      R"( {"a": [1, -2.5e+3, true, null, {"b\u00e9\ud83d\ude00": "c\n€"}], "d": {}, "e": []})";
  CHECK(problem(text) == "");
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    const std::string prefix(text.substr(0, size));  // on its own, so that a sanitizer sees a byte read beyond it
    CHECK(problem(prefix) != "");
  }
}

TEST_CASE("a text is read without a byte beyond it") {
  for (const std::string_view text : {"1", "-1.5", "true", "null", "\"12345678\"", "\"\\n\"", "[]"}) {
    const std::vector<char> exact(text.begin(), text.end());
    CHECK(problem({exact.data(), exact.size()}) == "");
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
    Reader reader(text, {});
    std::string value;
    CHECK(reader.read_string(value));
    CHECK(value == want);
    CHECK(reader.check_end());
  }
}

TEST_CASE("depth counts arrays and objects, up to the limit") {
  const JsonOptions three{.depth_max = 3};
  CHECK(problem("[[[]]]", three) == "");
  CHECK(problem(R"({"a":[{"b":1}]})", three) == "");
  CHECK(problem("[[[1],[2]],[[3]]]", three) == "");
  CHECK(problem("[[],[],[[]],{}]", three) == "");
  CHECK(problem("[[[[]]]]", three) == "expected at most 3 arrays and objects within each other");
  CHECK(problem(R"([{"a":{"b":{}}}])", three) != "");
  CHECK(problem("1", {.depth_max = 0}) == "");
  CHECK(problem("[]", {.depth_max = 0}) != "");
}

TEST_CASE("a million brackets end at the limit, at once") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(problem(std::string(1'000'000, '[')) != "");
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  CHECK(problem(objects) != "");
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
}

TEST_CASE("a probe leaves the reader where it is") {
  Reader reader("[[1],2]", {.depth_max = 2});
  REQUIRE(reader.open_array() == Step::item);
  Reader probe = reader.probe();
  CHECK(probe.skip());
  CHECK(probe.next_element() == Step::item);
  CHECK(reader.peek() == Kind::array);
  CHECK(reader.skip());
  CHECK(reader.next_element() == Step::item);
  CHECK(reader.peek() == Kind::number);
}

TEST_CASE("text is shortened between characters") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc");
  CHECK(shortened("a€b", 3) == "a");
  CHECK(shortened("a€b", 4) == "a€");
  CHECK(shortened("€", 0) == "");
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::json
