// SPDX-License-Identifier: MIT

#include "http/files/entity_tag.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/http/files/request_fields.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/entity_tag");

TEST_CASE("tags are compared strongly or weakly: the table of RFC 9110 section 8.8.3.2") {
  const struct {
    EntityTag a, b;
    bool strong, weak;
  } cases[] = {
      {{"1", true}, {"1", true}, false, true},
      {{"1", true}, {"2", true}, false, false},
      {{"1", true}, {"1", false}, false, true},
      {{"1", false}, {"1", false}, true, true},
  };
  for (const auto& [a, b, strong, weak] : cases) {
    CAPTURE(to_text(a));
    CAPTURE(to_text(b));
    CHECK(strongly_equal(a, b) == strong);
    CHECK(strongly_equal(b, a) == strong);
    CHECK(weakly_equal(a, b) == weak);
    CHECK(weakly_equal(b, a) == weak);
  }
}

TEST_CASE("a tag is quoted, RFC 9110 section 8.8.3") {
  const struct {
    std::string_view why, text;
    bool valid;
  } cases[] = {
      {"strong", "\"xyzzy\"", true},
      {"weak", "W/\"xyzzy\"", true},
      {"empty", "\"\"", true},
      {"text that looks like a list", "\"a, b\"", false},
      {"a comma", "\"a,b\"", true},
      {"a backslash is an ordinary byte", "\"a\\b\"", true},
      {"obs-text", "\"\x80\xff\"", true},
      {"the first and the last of ASCII", "\"!~\"", true},
      {"no quotes", "xyzzy", false},
      {"open", "\"xyzzy", false},
      {"only a quote", "\"", false},
      {"single quotes", "'xyzzy'", false},
      {"a quote inside", "\"a\"b\"", false},
      {"a space inside", "\"a b\"", false},
      {"a tab inside", "\"a\tb\"", false},
      {"DEL inside", "\"a\x7f\"", false},
      {"the W is case-sensitive", "w/\"xyzzy\"", false},
      {"weak without a slash", "W\"xyzzy\"", false},
      {"a space after W/", "W/ \"xyzzy\"", false},
      {"weak twice", "W/W/\"xyzzy\"", false},
      {"trailing text", "\"xyzzy\"-gzip", false},
      {"a space before", " \"xyzzy\"", false},
      {"nothing", "", false},
      {"a star is not a tag", "*", false},
  };
  for (const auto& [why, text, valid] : cases) {
    CAPTURE(why);
    const auto tag = parse_entity_tag(text);
    REQUIRE(tag.has_value() == valid);
    if (tag) CHECK(to_text(*tag) == text);
  }
}

TEST_CASE("a list of tags contains a tag, or does not, or is malformed, RFC 9110 sections 13.1.1 and 5.6.1") {
  using enum TagMatch;
  const struct {
    std::string_view why;
    std::vector<std::string_view> lines;
    TagMatch weakly, strongly;
  } cases[] = {
      {"the tag", {"\"a\""}, some, some},
      {"the tag is weak in the list", {"W/\"a\""}, some, none},
      {"another tag", {"\"b\""}, none, none},
      {"tags are case-sensitive", {"\"A\""}, none, none},
      {"the tag is the last of three", {"\"b\", W/\"c\", \"a\""}, some, some},
      {"no white space", {"\"b\",\"a\""}, some, some},
      {"tabs around tags", {"\t\"b\"\t,\t\"a\"\t"}, some, some},
      {"the tag is on the second line", {"\"b\"", "\"a\""}, some, some},
      {"empty members", {", ,\"a\",,"}, some, some},
      {"an empty line and the tag", {"", "\"a\""}, some, some},
      {"no comma between the tags of a line", {"\"b,\"", "\"a\"\"a\""}, malformed, malformed},
      {"a comma inside a tag", {"\"a,\""}, none, none},
      {"a star", {"*"}, some, some},
      {"a star in quotes is a tag", {"\"*\""}, none, none},
      {"nothing", {""}, none, none},
      {"only commas", {",,,"}, none, none},
      {"a star before a tag", {"*, \"a\""}, malformed, malformed},
      {"a tag before a star", {"\"a\"", "*"}, malformed, malformed},
      {"two stars", {"*, *"}, malformed, malformed},
      {"two stars without a comma", {"**"}, malformed, malformed},
      {"no quotes", {"a"}, malformed, malformed},
      {"no comma", {"\"b\" \"a\""}, malformed, malformed},
      {"a semicolon", {"\"b\"; \"a\""}, malformed, malformed},
      {"malformed after the tag", {"\"a\", b"}, malformed, malformed},
      {"malformed on the line after the tag", {"\"a\"", "\"b"}, malformed, malformed},
  };
  for (const auto& [why, lines, weakly, strongly] : cases) {
    CAPTURE(why);
    FieldPairs pairs;
    for (const auto line : lines) pairs.emplace_back("if-match", line);
    const RequestFields fields(pairs);
    const Existing ours{EntityTag{"a"}};
    CHECK(match_tags(fields.view().all("If-Match"), ours, weakly_equal) == weakly);
    CHECK(match_tags(fields.view().all("If-Match"), ours, strongly_equal) == strongly);
  }
}

TEST_CASE("a star matches any existing representation, with a tag or without one, RFC 9110 section 13.1.1") {
  const RequestFields star(FieldPairs{{"if-match", "*"}});
  const RequestFields list(FieldPairs{{"if-match", "\"a\", W/\"a\""}});
  CHECK(match_tags(star.view().all("if-match"), Existing{}, weakly_equal) == TagMatch::some);
  CHECK(match_tags(star.view().all("if-match"), std::nullopt, weakly_equal) == TagMatch::none);
  CHECK(match_tags(list.view().all("if-match"), Existing{}, weakly_equal) == TagMatch::none);
  CHECK(match_tags(list.view().all("if-match"), std::nullopt, weakly_equal) == TagMatch::none);
}

TEST_CASE("a weak current tag never compares strongly equal") {
  const RequestFields fields(FieldPairs{{"if-match", "\"a\", W/\"a\""}});
  const Existing weak{EntityTag{"a", true}};
  CHECK(match_tags(fields.view().all("if-match"), weak, strongly_equal) == TagMatch::none);
  CHECK(match_tags(fields.view().all("if-match"), weak, weakly_equal) == TagMatch::some);
}

TEST_SUITE_END();
}  // namespace volt::http::files
