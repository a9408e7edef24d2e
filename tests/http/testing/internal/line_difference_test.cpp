// SPDX-License-Identifier: MIT

#include "http/testing/internal/line_difference.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace volt::http::testing {
namespace {

std::string numbered(std::size_t lines, std::string_view end = "") {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) text.append(std::to_string(i)).append(end).append("\n");
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/internal/line_difference");

TEST_CASE("a difference shows the lines that changed, and a few around them") {
  const struct {
    std::string_view why, first, second, want;
  } cases[] = {
      {"equal", "a\nb\n", "a\nb\n", ""},
      {"a changed line", "a\nb\nc\n", "a\nx\nc\n", "  a\n- b\n+ x\n  c\n"},
      {"an added line", "a\nb\n", "a\nx\nb\n", "  a\n+ x\n  b\n"},
      {"a removed line at the end", "a\nb\n", "a\n", "  a\n- b\n"},
      {"from nothing", "", "a\n", "+ a\n"},
      {"common lines inside", "a\nb\nc\nd\n", "x\nb\nc\ny\n", "- a\n+ x\n  b\n  c\n- d\n+ y\n"},
      {"only near lines", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
       "  ...\n  2\n  3\n  4\n- 5\n+ x\n  6\n  7\n  8\n"},
  };
  for (const auto& [why, first, second, want] : cases) {
    CAPTURE(why);
    CHECK(line_difference(first, second) == want);
  }
}

TEST_CASE("a large difference is bounded") {
  const std::string difference = line_difference(numbered(kComparedLinesMax + 1), numbered(kComparedLinesMax + 1, "x"));
  CHECK(std::ranges::count(difference, '\n') == kShownLinesMax + 1);
  CHECK(difference.starts_with("- 0\n- 1\n"));
  CHECK(difference.ends_with("\n  (more differences follow)\n"));
}

}  // namespace volt::http::testing
