// SPDX-License-Identifier: MIT

#include "http/files/file_path.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/file_path");

TEST_CASE("an escaped path names a file below the directory") {
  const struct {
    std::string_view why, escaped;
    FilePath want;
  } cases[] = {
      {"a name", "a.txt", {"a.txt"}},
      {"in a folder", "a/b/c.txt", {"a/b/c.txt"}},
      {"RFC 3986 2.1: escapes are decoded", "a%20b%2Ec", {"a b.c"}},
      {"either case", "%6a%6A", {"jj"}},
      {"decoded once: a name with percent signs", "%252e%252e", {"%2e%2e"}},
      {"an escape of a percent sign, decoded once", "a%252Fb", {"a%2Fb"}},
      {"a plus is a plus", "a+b", {"a+b"}},
      {"UTF-8", "%C3%A9", {"\xc3\xa9"}},
      {"any bytes that a file system accepts", "%ff", {"\xff"}},
      {"the directory itself", "", {"", true}},
      {"a directory", "a/b/", {"a/b", true}},
      {"dots inside", "a..b/c...", {"a..b/c..."}},
      {"a colon", "c:/d", {"c:/d"}},
      {"RFC 8615: well-known", ".well-known/acme-challenge/x", {".well-known/acme-challenge/x"}},
      {"well-known itself", ".well-known/", {".well-known", true}},
      {"well-known in escapes", "%2ewell-known/x", {".well-known/x"}},
  };
  for (const auto& [why, escaped, want] : cases) {
    CAPTURE(why);
    const auto path = parse_file_path(escaped, Hidden::refused);
    REQUIRE(path.has_value());
    CHECK(path->relative == want.relative);
    CHECK(path->names_directory == want.names_directory);
  }
}

TEST_CASE("a path that leaves the directory or is ambiguous names no file") {
  const struct {
    std::string_view why, escaped;
  } cases[] = {
      {"up", "../secret"},
      {"only up", ".."},
      {"up and a slash", "../"},
      {"up inside", "a/../b"},
      {"up at the end", "a/.."},
      {"a dot segment", "."},
      {"here inside", "a/./b"},
      {"here at the end", "a/."},
      {"up in escapes", "%2e%2e/secret"},
      {"up, half in escapes", ".%2E/secret"},
      {"up, the slash in escapes too", "..%2fsecret"},
      {"up, all in escapes", "%2e%2e%2fsecret"},
      {"an escaped slash inside a name", "a%2Fb"},
      {"an escaped slash first", "%2fetc/passwd"},
      {"absolute", "/etc/passwd"},
      {"two slashes inside", "a//b"},
      {"two slashes at the end", "a//"},
      {"only slashes", "//"},
      {"one slash after the prefix's slash", "/"},
      {"a backslash", "..\\secret"},
      {"a backslash in escapes", "..%5csecret"},
      {"a backslash inside a name", "a%5Cb"},
      {"NUL", "a.txt%00.png"},
      {"NUL alone", "%00"},
      {"a raw NUL", std::string_view("a\0b", 3)},
      {"a line break", "a%0d%0ab"},
      {"a tab", "a%09b"},
      {"DEL", "a%7fb"},
      {"an escape cut short", "a%"},
      {"an escape cut short after one digit", "a%2"},
      {"an escape without digits", "a%zz"},
      {"an escape with one digit", "a%2g"},
      {"UTF-16 escapes are not supported", "%u002e%u002e/secret"},
  };
  for (const auto& [why, escaped] : cases) {
    CAPTURE(why);
    CHECK_FALSE(parse_file_path(escaped, Hidden::refused).has_value());
    CHECK_FALSE(parse_file_path(escaped, Hidden::allowed).has_value());
  }
}

TEST_CASE("hidden names must be allowed explicitly") {
  const struct {
    std::string_view why, escaped;
  } cases[] = {
      {"a file", ".env"},
      {"a file, in escapes", "%2Eenv"},
      {"a folder", ".git/config"},
      {"further down", "a/.git/config"},
      {"a folder itself", ".git/"},
      {"three dots", "..."},
      {"well-known, but not at the top", "a/.well-known/x"},
      {"hidden below well-known", ".well-known/.secret"},
      {"longer than well-known", ".well-known2/x"},
      {"RFC 8615 uses lower case only", ".Well-Known/x"},
  };
  for (const auto& [why, escaped] : cases) {
    CAPTURE(why);
    CHECK_FALSE(parse_file_path(escaped, Hidden::refused).has_value());
    CHECK(parse_file_path(escaped, Hidden::allowed).has_value());
  }
}

TEST_CASE("an accepted path has no segment that a file system could interpret") {
  const std::string_view alphabet[] = {".", "/", "a", "%2e", "%2F", "%5c", "%"};
  constexpr int kLength = 5;
  int accepted = 0;
  for (int number = 0; number < 7 * 7 * 7 * 7 * 7; ++number) {
    std::string escaped;
    for (int i = 0, rest = number; i < kLength; ++i, rest /= 7) escaped += alphabet[rest % 7];
    const auto path = parse_file_path(escaped, Hidden::allowed);
    if (!path) continue;
    ++accepted;
    const std::string framed = "/" + path->relative + "/";
    const bool sound = framed.find("//") == std::string::npos && framed.find("/./") == std::string::npos &&
                       framed.find("/../") == std::string::npos && framed.find_first_of("\\%") == std::string::npos;
    CHECK_MESSAGE(sound, escaped);
  }
  CHECK(accepted > 100);
}

TEST_CASE("a directory's slash is added by a reference that needs no prefix, RFC 9110 section 10.2.2") {
  CHECK(location_with_slash("docs", "") == "./docs/");
  CHECK(location_with_slash("a/docs", "") == "./docs/");
  CHECK(location_with_slash("a%20b", "x=1&y=/") == "./a%20b/?x=1&y=/");
  CHECK_MESSAGE(location_with_slash("javascript:x", "") == "./javascript:x/", "a colon must not make a scheme");
}

TEST_SUITE_END();
}  // namespace volt::http::files
