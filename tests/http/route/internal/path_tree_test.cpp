// SPDX-License-Identifier: MIT

#include "http/route/internal/path_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace volt::http::route {
namespace {

PathTree tree_of(const std::vector<std::string>& patterns) {
  PathTree tree;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    REQUIRE(parse_pattern(patterns[i]).valid());
    PathTree::Endpoint& endpoint = tree.endpoint(patterns[i]);
    REQUIRE(endpoint == PathTree::kNone);
    endpoint = static_cast<PathTree::Endpoint>(i);
  }
  return tree;
}

// Returns "/a/{x}(1) /{y...}(a/1)": all matches with the values of their parameters, the most specific first.
std::string matches(const std::vector<std::string>& patterns, const std::string& path) {
  const PathTree tree = tree_of(patterns);
  PathWalk walk(tree, path);
  std::string text;
  for (auto found = walk.next(); found != PathTree::kNone; found = walk.next()) {
    Params params;
    walk.params(path, params);
    text += (text.empty() ? "" : " ") + patterns[found];
    for (std::size_t i = 0; i < params.count(); ++i) {
      text += (i == 0 ? '(' : ',') + std::string(params.raw(i));
    }
    if (params.count() > 0) text += ')';
  }
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("http/route/internal/path_tree");

TEST_CASE("patterns match in the order of their precedence") {
  const struct {
    std::string why;
    std::vector<std::string> patterns;
    std::string path, want;
  } cases[] = {
      {"literal, parameter, wildcard", {"/{w...}", "/{p}", "/a"}, "/a", "/a /{p}(a) /{w...}(a)"},
      {"the leftmost segment decides", {"/{p}/b", "/a/{p}"}, "/a/b", "/a/{p}(b) /{p}/b(a)"},
      {"the leftmost segment decides before a wildcard", {"/a/{w...}", "/{p}/b"}, "/a/b", "/a/{w...}(b) /{p}/b(a)"},
      {"backtracking from a parameter", {"/a/{p}/c", "/{p}/b/d"}, "/a/b/d", "/{p}/b/d(a)"},
      {"backtracking from a literal", {"/a/b/c", "/a/{p}/d"}, "/a/b/d", "/a/{p}/d(b)"},
      {"backtracking from within a literal", {"/abc/x", "/{p}"}, "/abd", "/{p}(abd)"},
      {"a longer literal does not match", {"/abc", "/{p}"}, "/ab", "/{p}(ab)"},
      {"a shorter literal does not match", {"/ab", "/{p}"}, "/abc", "/{p}(abc)"},
      {"a node that was split", {"/abc", "/abd", "/ab", "/a"}, "/ab", "/ab"},
      {"a parameter of a node that was split", {"/ab/{p}", "/ab/c", "/ab", "/a/"}, "/ab/d", "/ab/{p}(d)"},
      {"deeper wildcards first",
       {"/{w...}", "/a/{w...}", "/a/b/{w...}"},
       "/a/b/c",
       "/a/b/{w...}(c) /a/{w...}(b/c) /{w...}(a/b/c)"},
      {"a wildcard matches the rest with its slashes", {"/a/{w...}"}, "/a/b//c/", "/a/{w...}(b//c/)"},
      {"a wildcard may match nothing", {"/a/{w...}"}, "/a/", "/a/{w...}()"},
      {"a wildcard needs its slash", {"/a/{w...}"}, "/a", ""},
      {"a slash at the end takes precedence over an empty wildcard", {"/a/{w...}", "/a/"}, "/a/", "/a/ /a/{w...}()"},
      {"a parameter does not match an empty segment", {"/a/{p}", "/{p}/{q}"}, "/a/", ""},
      {"a slash at the end is significant", {"/a", "/a/"}, "/a/", "/a/"},
      {"a slash at the end is significant after a parameter", {"/{p}", "/{p}/"}, "/a/", "/{p}/(a)"},
      {"an empty segment matches only inside a wildcard",
       {"/a/b", "/{p}/{q}", "/{p}/{q}/{r}", "/{w...}"},
       "/a//b",
       "/{w...}(a//b)"},
      {"an empty first segment matches only inside a wildcard", {"/a", "/{p}", "/{w...}"}, "//a", "/{w...}(/a)"},
      {"the root", {"/", "/{p}", "/{w...}"}, "/", "/ /{w...}()"},
      {"paths are case-sensitive", {"/a"}, "/A", ""},
      {"parameters of one place, by several names", {"/{a}/x", "/{b}/y"}, "/1/y", "/{b}/y(1)"},
      {"no pattern at all", {}, "/", ""},
  };
  for (const auto& [why, patterns, path, want] : cases) {
    CAPTURE(why);
    CHECK(matches(patterns, path) == want);
    CHECK(matches({patterns.rbegin(), patterns.rend()}, path) == want);
  }
}

TEST_CASE("segments are compared decoded, values stay as received, RFC 3986 section 6.2.2.2") {
  const struct {
    std::string why;
    std::vector<std::string> patterns;
    std::string path, want;
  } cases[] = {
      {"an escape in the path", {"/abc"}, "/a%62c", "/abc"},
      {"an escape in the pattern", {"/a%62c"}, "/abc", "/a%62c"},
      {"a byte that must be escaped", {"/a b"}, "/a%20b", "/a b"},
      {"upper-case and lower-case escapes", {"/%C3%A9"}, "/%c3%a9", "/%C3%A9"},
      {"an escaped slash is data", {"/a/b", "/{p}"}, "/a%2Fb", "/{p}(a%2Fb)"},
      {"an escaped slash may be in a literal", {"/a%2Fb", "/a/b"}, "/a%2fb", "/a%2Fb"},
      {"an escaped slash does not match a separator", {"/a%2Fb"}, "/a/b", ""},
      {"an escaped slash is not the first slash", {"/a/b"}, "%2fa/b", ""},
      {"values are not decoded", {"/{p}/x"}, "/%61%2f/x", "/{p}/x(%61%2f)"},
      {"segments are decoded once", {"/%2541"}, "/%2541", "/%2541"},
      {"segments are not decoded twice", {"/A"}, "/%2541", ""},
      {"a '+' is a '+'", {"/a b", "/a+b"}, "/a+b", "/a+b"},
      {"a malformed escape is literal text", {"/%25zz", "/{p}"}, "/%zz", "/%25zz /{p}(%zz)"},
      {"an escape that is cut off is literal text", {"/a%25", "/a%254"}, "/a%4", "/a%254"},
      {"an escape cut off at the end", {"/a%25"}, "/a%", "/a%25"},
  };
  for (const auto& [why, patterns, path, want] : cases) {
    CAPTURE(why);
    CHECK(matches(patterns, path) == want);
  }
}

TEST_CASE("a path with a dot segment or a NUL, or without a leading slash, matches no pattern") {
  const std::vector<std::string> patterns = {"/a", "/{p}", "/{p}/{q}", "/{w...}"};
  for (const std::string path :
       {"/.",       "/..",     "/a/.",    "/a/..",   "/./a",        "/../a", "/a/../b", "/a/./",
        "/%2e",     "/%2E%2e", "/.%2e/a", "/a/%2e.", "/a/b/c/../d", "//..",  "/%00",    "/a%00",
        "/a/b%00c", "",        "*",       "a",       "a/b",         "%2Fa",  "?",       "\\a"}) {
    CAPTURE(path);
    CHECK(matches(patterns, path).empty());
  }
  CHECK(matches(patterns, std::string("/a\0", 3)).empty());
  CHECK(matches({"/a%2Fb", "/{p}"}, std::string("/a\0b", 4)).empty());
  CHECK(matches(patterns, "/...") == "/{p}(...) /{w...}(...)");
  CHECK(matches(patterns, "/.a") == "/{p}(.a) /{w...}(.a)");
}

TEST_CASE("the values of a walked path that has another slash at its end are views into the shorter path") {
  PathTree tree = tree_of({"/a/{p}/{w...}"});
  const std::string path = "/a/b";
  PathWalk walk(tree, "/a/b/");
  REQUIRE(walk.next() == 0);
  Params params;
  walk.params(path, params);
  CHECK(params.raw(0).data() == path.data() + 3);
  CHECK(params.raw(1).data() == path.data() + path.size());
  CHECK(params.raw(1).empty());
}

TEST_CASE("values are decoded on demand") {
  const PathTree tree = tree_of({"/{p}/{w...}"});
  const std::string path = "/a%20b/c%2Fd/e";
  PathWalk walk(tree, path);
  REQUIRE(walk.next() == 0);
  Params params;
  walk.params(path, params);
  CHECK(params.decoded(0) == "a b");
  CHECK(std::string(params.raw(1)) == "c%2Fd/e");
  CHECK(params.decoded(1) == "c/d/e");
}

// Each of the first eight levels is a literal or a parameter, in all combinations; 52 more levels follow in each of
// them.
TEST_CASE("a path that fails at the end of every branch visits each node at most once") {
  constexpr int kLevels = 60, kFork = 8;
  PathTree tree;
  for (unsigned ways = 0; ways < 1U << kFork; ++ways) {
    std::string pattern;
    for (int level = 0; level < kLevels; ++level) {
      const bool parameter = level < kFork && (ways >> level & 1U) != 0;
      pattern += parameter ? "/{p" + std::to_string(level) + "}" : "/a";
    }
    tree.endpoint(pattern) = ways;
    for (int level = kFork; level < kFork + 8; ++level) {  // parameters further down
      std::string fork;
      for (int i = 0; i < kLevels; ++i) fork += i == level ? "/{q}" : "/a";
      tree.endpoint(fork) = 1000 + static_cast<unsigned>(level);
    }
  }
  std::string path;
  for (int level = 0; level + 1 < kLevels; ++level) path += "/a";
  const auto time_to_fail = [&](const std::string& last) {
    const std::string whole = path + last;
    auto best = std::chrono::nanoseconds::max();
    for (int round = 0; round < 5; ++round) {
      const auto start = std::chrono::steady_clock::now();
      PathWalk walk(tree, whole);
      CHECK(walk.next() == PathTree::kNone);
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
    }
    return best;
  };
  // Generous, for builds with sanitizers. An algorithm that visits every combination would take years.
  constexpr auto kTimeMax = std::chrono::milliseconds(20);
  CHECK(time_to_fail("/b") < kTimeMax);
  CHECK(time_to_fail("/a/a") < kTimeMax);
  CHECK(time_to_fail("/%61/a") < kTimeMax);
}

TEST_CASE("the deepest pattern with a choice at each level fits") {
  PathTree tree;
  std::string literals;
  std::uint32_t number = 0;
  for (std::size_t level = 0; level < kSegmentsMax; ++level) {
    tree.endpoint(literals + "/{p}") = number++;
    tree.endpoint(literals + "/{w...}") = number++;
    literals += "/a";
  }
  PathWalk walk(tree, literals);
  std::uint32_t found = 0;
  while (walk.next() != PathTree::kNone) ++found;
  CHECK(found == kSegmentsMax + 1);  // each wildcard, and the last parameter
}

TEST_SUITE_END();
}  // namespace volt::http::route
