// SPDX-License-Identifier: MIT

#include "http/json/append.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace volt::http::json {
namespace {
TEST_SUITE_BEGIN("http/json/append");

using namespace std::string_view_literals;

std::string written(std::string_view text) {
  std::string out;
  append_string(text, out);
  return out;
}

template <class T>
std::string number(T value) {
  std::string out;
  append_number(value, out);
  return out;
}

TEST_CASE("a string is escaped as RFC 8259 section 7 requires, and otherwise unchanged") {
  const struct {
    std::string why;
    std::string_view text;
    std::string want;
  } cases[] = {
      {"empty", "", R"("")"},
      {"plain", "abc", R"("abc")"},
      {"quotes and backslashes", R"(a"b\c)", R"("a\"b\\c")"},
      {"a slash needs no escape", "a/b", R"("a/b")"},
      {"the short escapes", "\b\f\n\r\t", R"("\b\f\n\r\t")"},
      {"other controls", "\x01\x1f"sv, R"("\u0001\u001f")"},
      {"NUL is a character", "a\0b"sv, R"("a\u0000b")"},
      {"DEL needs no escape", "\x7f", "\"\x7f\""},
      {"two bytes", "é", "\"é\""},
      {"three bytes", "€", "\"€\""},
      {"four bytes", "😀", "\"😀\""},
      {"the last character", "\U0010FFFF", "\"\U0010FFFF\""},
      {"the first of each size", "\u0080\u0800\U00010000", "\"\u0080\u0800\U00010000\""},
      {"around the surrogates", "\uD7FF\uE000", "\"\uD7FF\uE000\""},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(written(text) == want);
  }
}

TEST_CASE("bytes that are not UTF-8 become U+FFFD, one for each maximal part") {
  const struct {
    std::string why;
    std::string_view text;
    std::string want;
  } cases[] = {
      {"a lone continuation", "a\x80z", "\"a\uFFFDz\""},
      {"two lone continuations", "\x80\xbf", "\"\uFFFD\uFFFD\""},
      {"bytes that never begin a character", "\xff\xfe\xc0\xc1\xf5", "\"\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\""},
      {"cut off at the end", "a\xe2\x82", "\"a\uFFFD\""},
      {"cut off before ASCII", "\xe2\x82z", "\"\uFFFDz\""},
      {"cut off before a quote", "\xf0\x9f\x98\"", "\"\uFFFD\\\"\""},
      {"overlong slash", "\xc0\xaf", "\"\uFFFD\uFFFD\""},
      {"overlong in three", "\xe0\x80\xaf", "\"\uFFFD\uFFFD\uFFFD\""},
      {"a surrogate", "\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
      {"beyond U+10FFFF", "\xf4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(written(text) == want);
  }
}

TEST_CASE("a special byte is found at every position of a long text") {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (const char special : {'"', '\\', '\n', '\x80'}) {
        std::string text(size, '~');
        text[at] = special;
        const std::string escaped = special == '"'    ? "\\\""
                                    : special == '\\' ? "\\\\"
                                    : special == '\n' ? "\\n"
                                                      : "\uFFFD";
        CHECK(written(text) == "\"" + std::string(at, '~') + escaped + std::string(size - at - 1, '~') + "\"");
      }
    }
  }
}

TEST_CASE("integers are exact to their last digit") {
  std::string out;
  append_integer(std::numeric_limits<std::int64_t>::min(), out);
  append_integer(std::numeric_limits<std::uint64_t>::max(), out += ' ');
  append_integer(std::int64_t{0}, out += ' ');
  CHECK(out == "-9223372036854775808 18446744073709551615 0");
}

TEST_CASE("numbers are written in the shortest form that reads back") {
  CHECK(number(0.1) == "0.1");
  CHECK(number(0.1F) == "0.1");
  CHECK(number(1.0) == "1");
  CHECK(number(-0.0) == "-0.0");  // "-0" would be an integer
  CHECK(number(-0.0F) == "-0.0");
  CHECK(number(1e300) == "1e+300");
  CHECK(number(5e-324) == "5e-324");
  CHECK(number(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(number(-std::numeric_limits<double>::min()) == "-2.2250738585072014e-308");
}

TEST_CASE("numbers that JSON lacks become null") {
  CHECK(number(std::nan("")) == "null");
  CHECK(number(HUGE_VAL) == "null");
  CHECK(number(-HUGE_VALF) == "null");
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http::json
