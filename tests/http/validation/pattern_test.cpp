// SPDX-License-Identifier: MIT

#include "http/validation/pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "http/validation/formats.h"

namespace volt::http::validation {
namespace {

template <FixedString pattern>
bool all_match(const std::vector<std::string>& texts) {
  return std::ranges::all_of(texts, [](const std::string& text) { return matches(kPatternSteps<pattern>, text); });
}

template <FixedString pattern>
bool none_match(const std::vector<std::string>& texts) {
  return std::ranges::none_of(texts, [](const std::string& text) { return matches(kPatternSteps<pattern>, text); });
}

}  // namespace

TEST_SUITE_BEGIN("http/validation/pattern");

TEST_CASE("a pattern matches the whole text") {
  CHECK(all_match<"">({""}));
  CHECK(none_match<"">({"a"}));
  CHECK(all_match<"abc">({"abc"}));
  CHECK(none_match<"abc">({"", "ab", "abcd", "xabc", "ABC"}));
  CHECK(all_match<"a\\.b\\\\">({"a.b\\"}));
  CHECK(none_match<"a\\.b">({"axb"}));
  CHECK(all_match<"a.c">({"abc",
                          "a\xc3\xa4"
                          "c",
                          "a\xf0\x9f\x98\x80"
                          "c"}));
  CHECK(none_match<"a.c">({"a\nc", "ac",
                           "a\xc3\xa4\xc3\xa4"
                           "c"}));
}

TEST_CASE("classes") {
  CHECK(all_match<"[a-c_][^a-c,]">({"ax", "_1", "b\xc3\xa4"}));
  CHECK(none_match<"[a-c_][^a-c,]">({"dx", "a,", "ab", "a"}));
  CHECK(all_match<"\\d\\w">({"0a", "9_", "5Z", "77"}));
  CHECK(none_match<"\\d\\w">({"a0", "0-", "0\xc3\xa4"}));
  CHECK(all_match<"[\\d.-]+">({"-1.5", "...", "-"}));
  CHECK(none_match<"[\\d.-]+">({"", "a"}));
}

TEST_CASE("alternatives and groups") {
  CHECK(all_match<"a|bc|">({"a", "bc", ""}));
  CHECK(none_match<"a|bc|">({"b", "ac", "abc"}));
  CHECK(all_match<"(a|bc)d(?:e|)">({"ad", "bcd", "ade", "bcde"}));
  CHECK(none_match<"(a|bc)d(?:e|)">({"bd", "abcd", "adee"}));
  CHECK(all_match<"((a|b)|(c|d))e">({"ae", "be", "ce", "de"}));
}

TEST_CASE("repetition") {
  CHECK(all_match<"ab*c">({"ac", "abc", "abbbbc"}));
  CHECK(none_match<"ab*c">({"a", "c", "abb", "bc"}));
  CHECK(all_match<"ab+c?">({"ab", "abb", "abc", "abbbc"}));
  CHECK(none_match<"ab+c?">({"a", "ac", "abcc"}));
  CHECK(all_match<"a{3}">({"aaa"}));
  CHECK(none_match<"a{3}">({"", "aa", "aaaa"}));
  CHECK(all_match<"a{2,}">({"aa", "aaa", "aaaaaa"}));
  CHECK(none_match<"a{2,}">({"", "a"}));
  CHECK(all_match<"a{2,4}b">({"aab", "aaab", "aaaab"}));
  CHECK(none_match<"a{2,4}b">({"ab", "aaaaab"}));
  CHECK(all_match<"a{0,2}b{0,1}">({"", "a", "aa", "b", "aab"}));
  CHECK(none_match<"a{0,2}b{0,1}">({"aaa", "bb"}));
  CHECK(all_match<"(ab|c){2}d">({"ababd", "abcd", "ccd"}));
  CHECK(none_match<"(ab|c){2}d">({"abd", "cabcd"}));
  CHECK(all_match<"(a*)*b">({"b", "aaab"}));
  CHECK(all_match<"(a|b?)+">({"", "ab", "bbaa"}));
  CHECK(all_match<"(x(yz?){1,2})*">({"", "xy", "xyz", "xyyz", "xyxyz"}));
  CHECK(none_match<"(x(yz?){1,2})*">({"x", "xyyy", "yz"}));
  CHECK(all_match<"[A-Z]{2}-[0-9]+">({"LA-1", "XX-000"}));
  CHECK(all_match<"([a-z0-9-]{1,63}\\.)+[a-z]{2,}">({"a.example", "x-1.y.example"}));
}

TEST_CASE("a pattern beyond the dialect is an error") {
  using enum PatternError;
  const struct {
    PatternError want;
    std::string_view pattern;
  } cases[] = {
      {none, "a(b|[c-e]{2,3})\\d*"},
      {no_opening, "a)"},
      {not_ascii, "\xc3\xa4"},
      {not_ascii, "\n"},
      {too_long, "(abcdefghij){60}"},
      {too_long, "((a{9}){9}){9}"},
      {too_long, "(abcdefghij){51}ab(c?)*"},
      {too_long, "(abcdefghij){0,60}"},
      {too_long, "(abcdefghij){51}abc|d"},
      {repeated_twice, "a**"},
      {repeated_twice, "a+?"},
      {never, "a{0}"},
      {bad_repetition, "a{"},
      {bad_repetition, "a{,2}"},
      {bad_repetition, "a{2"},
      {bad_repetition, "a{x}"},
      {backwards_repetition, "a{3,2}"},
      {too_often, "a{99999999999}"},
      {unknown_group, "(?=a)"},
      {unknown_group, "(?<n>a)"},
      {no_closing, "(a"},
      {no_closing, "((a)"},
      {anchor, "^a"},
      {anchor, "a$"},
      {nothing_to_repeat, "*"},
      {nothing_to_repeat, "a|+"},
      {nothing_to_repeat, "({2})"},
      {bare_bracket, "a]"},
      {bare_bracket, "a}"},
      {bare_escape, "a\\"},
      {unknown_escape, "\\s"},
      {unknown_escape, "\\1"},
      {unknown_escape, "[\\b]"},
      {empty_set, "[]"},
      {empty_set, "[^]"},
      {no_closing_bracket, "[a"},
      {no_closing_bracket, "["},
      {bad_range, "[z-a]"},
      {bad_range, "[a-\\d]"},
  };
  for (const auto& [want, pattern] : cases) {
    CAPTURE(std::string(pattern));
    CHECK(PatternCompiler(pattern).error() == want);
  }
}

TEST_CASE("a hostile text takes linear time") {
  const std::string text(100'000, 'a');
  CHECK(!matches(kPatternSteps<"(a|a|aa)*(a*)*(a?){20}b">, text));
  CHECK(matches(kPatternSteps<"(a|aa)*(a*)*">, text));
}

TEST_CASE("the schema has the pattern of a whole text, escaped") {
  CHECK(pattern_schema("a|\\d\"") == R"("pattern":"^(?:a|\\d\")$")");
}

TEST_CASE("formats") {
  const auto check_format = [](TextFormat format, const std::vector<std::string>& good,
                               const std::vector<std::string>& bad) {
    for (const std::string& text : good) CHECK_MESSAGE(has_format(text, format), text);
    for (const std::string& text : bad) CHECK_MESSAGE(!has_format(text, format), text);
  };
  check_format(TextFormat::email, {"ann@example.com", "a.b+c@x", "a@b-c.d"},
               {"", "ann", "@x", "ann@", "a@b@c", "a b@c", "a@-b", "a@b-", "a@b..c", "a@b.", "\"a\"@b", "\xc3\xa4@b",
                "a@" + std::string(64, 'b'), std::string(260, 'a') + "@b"});
  check_format(TextFormat::uuid, {"123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"},
               {"", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-42661417400}",
                "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-4266141740000"});
  check_format(TextFormat::uri, {"http://x", "https://a.b:1/c?d=e%20f#g", "mailto:a@b", "urn:x:1", "http://[::1]/"},
               {"", "x", "//x", ":x", "1a:b", "http:", "http://a b", "http://a/%2", "http://a/%zz", "a:b#c#d",
                "http://\xc3\xa4", "a_b:c", "http://a/\\"});
  check_format(TextFormat::date, {"2026-02-28", "2024-02-29"},
               {"", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-32", "2026-1-1", "20260101", "2026-01-01 "});
  check_format(TextFormat::date_time, {"2026-02-28T12:00:00Z", "2026-02-28t23:59:60z", "2026-02-28T12:00:00.123+05:30"},
               {"", "2026-02-28", "2026-02-28T12:00:00", "2026-02-28 12:00:00Z", "2026-02-28T24:00:00Z",
                "2026-02-28T12:60:00Z", "2026-02-28T12:00:61Z", "2026-02-28T12:00:00.Z", "2026-02-28T12:00:00+5:30",
                "2026-02-28T12:00:00Zx", "2026-02-30T12:00:00Z"});
  CHECK(format_schema(TextFormat::date_time) == "\"format\":\"date-time\"");
  CHECK(format_sentence(TextFormat::email) == "must be an email address");
}

TEST_SUITE_END();
}  // namespace volt::http::validation
