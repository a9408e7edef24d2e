// SPDX-License-Identifier: MIT

#include "http/route/pattern.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::route {
namespace {

constexpr Pattern kItem = parse_pattern("/api/v1", "/items/{id}/{rest...}");
static_assert(kItem.valid());
static_assert(kItem.parameter_count == 2 && kItem.names()[0] == "id" && kItem.names()[1] == "rest");
static_assert(!parse_pattern("items").valid());

std::string names_of(const Pattern& pattern) {
  std::string names;
  for (const std::string_view name : pattern.names()) names += (names.empty() ? "" : ",") + std::string(name);
  return names;
}

// Returns "/{p0}/{p1}" and so on.
std::string parameters(std::size_t count) {
  std::string pattern;
  for (std::size_t i = 0; i < count; ++i) pattern += "/{p" + std::to_string(i) + "}";
  return pattern;
}

std::string literals(std::size_t count) {
  std::string pattern;
  for (std::size_t i = 0; i < count; ++i) pattern += "/a";
  return pattern;
}

}  // namespace

TEST_SUITE_BEGIN("http/route/pattern");

TEST_CASE("a pattern has the names of its parameters") {
  const struct {
    std::string why, prefix, rest, names;
  } cases[] = {
      {"the root", "/", "", ""},
      {"literals", "/a/b.c", "", ""},
      {"a slash at the end", "/a/", "", ""},
      {"a parameter", "/a/{id}", "", "id"},
      {"a wildcard", "/a/{rest...}", "", "rest"},
      {"only a wildcard", "/{rest...}", "", "rest"},
      {"C identifiers as names", "/{_a1}/{B2}", "", "_a1,B2"},
      {"a parameter before a slash", "/{a}/", "", "a"},
      {"escapes", "/a%20b/%7Bx%7D/%3F", "", ""},
      {"all bytes that a path may hold", "/a:b@c!$&'()*+,;=~", "", ""},
      {"dots in a longer segment", "/.well-known/...", "", ""},
      {"a group's prefix and a rest", "/api/v1", "/items/{id}", "id"},
      {"a prefix and an empty rest", "/api", "", ""},
      {"a prefix and a slash", "/api", "/", ""},
      {"a parameter in prefix and rest", "/{tenant}", "/{id}", "tenant,id"},
      {"a group without a prefix", "", "/a", ""},
  };
  for (const auto& [why, prefix, rest, names] : cases) {
    CAPTURE(why);
    const Pattern pattern = parse_pattern(prefix, rest);
    CHECK(std::string(pattern.error).empty());
    CHECK(names_of(pattern) == names);
    CHECK(names_of(parse_pattern(prefix + rest)) == names);
  }
}

TEST_CASE("an invalid pattern is refused with a message") {
  const struct {
    std::string prefix, rest, sentence;
  } cases[] = {
      {"", "", "must begin with '/'"},
      {"a", "", "must begin with '/'"},
      {"*", "", "must begin with '/'"},
      {"{a}", "", "must begin with '/'"},
      {"/a", "b", "must begin with '/'"},
      {"//", "", "empty segment"},
      {"/a//b", "", "empty segment"},
      {"/a/", "/b", "empty segment"},
      {"/{rest...}/b", "", "last segment"},
      {"/{rest...}/", "", "last segment"},
      {"/{rest...}", "/b", "last segment"},
      {"/{}", "", "no name"},
      {"/{...}", "", "no name"},
      {"/{1a}", "", "digit"},
      {"/{a-b}", "", "identifier"},
      {"/{a.}", "", "identifier"},
      {"/{a....}", "", "identifier"},
      {"/{{a}}", "", "identifier"},
      {"/{\xc3\xa9}", "", "identifier"},
      {"/a{b}", "", "whole segment"},
      {"/{a}b", "", "whole segment"},
      {"/{a", "", "whole segment"},
      {"/a}", "", "whole segment"},
      {"/{", "", "whole segment"},
      {"/{a}/{a}", "", "with one name"},
      {"/{a}/{a...}", "", "with one name"},
      {"/{a}", "/{a}", "with one name"},
      {"/a?b", "", "a query or a fragment"},
      {"/a#b", "", "a query or a fragment"},
      {"/%", "", "malformed"},
      {"/%4", "", "malformed"},
      {"/%zz", "", "malformed"},
      {"/a%00", "", "NUL"},
      {std::string("/a\0b", 4), "", "NUL"},
      {"/.", "", "\"..\""},
      {"/..", "/a", "\"..\""},
      {"/:id", "", "/{name}"},
      {"/a/:id/b", "", "/{name}"},
      {"/a", "/<id>", "/{name}"},
      {"/*", "", "/{name...}"},
      {"/a/*rest", "", "/{name...}"},
      {"/%2e%2E", "", "\"..\""},
      {"/.%2e/a", "", "\"..\""},
  };
  for (const auto& [prefix, rest, sentence] : cases) {
    CAPTURE(prefix);
    CAPTURE(rest);
    const std::string error(parse_pattern(prefix, rest).error);
    CHECK(error.find(sentence) != std::string::npos);
  }
}

TEST_CASE("the numbers of parameters and segments are limited") {
  CHECK(parse_pattern(parameters(kParametersMax)).parameter_count == kParametersMax);
  CHECK(std::string(parse_pattern(parameters(kParametersMax + 1)).error) == "a pattern has more than 16 parameters");
  CHECK(parse_pattern(literals(kSegmentsMax)).valid());
  CHECK(std::string(parse_pattern(literals(kSegmentsMax), "/a").error) == "a pattern has more than 64 segments");
  CHECK(!parse_pattern(std::string(100'000, '/')).valid());
}

TEST_CASE("the rest after an unknown prefix may be empty") {
  CHECK(parse_pattern_rest("").valid());
  CHECK(parse_pattern_rest("/").valid());
  CHECK(parse_pattern_rest("/{a}").parameter_count == 1);
  CHECK(!parse_pattern_rest("a").valid());
}

TEST_CASE("a dot segment is one or two dots, escaped or not") {
  for (const std::string dots : {".", "..", "%2e", "%2E", ".%2e", "%2e.", "%2E%2e"}) {
    CAPTURE(dots);
    CHECK(is_dot_segment(dots));
  }
  for (const std::string other : {"", "...", ".a", "a.", "%2e%2e%2e", ".%", "%2", "%252e", ". ", "..;"}) {
    CAPTURE(other);
    CHECK(!is_dot_segment(other));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::route
