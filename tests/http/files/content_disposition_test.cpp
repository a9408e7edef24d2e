// SPDX-License-Identifier: MIT

#include "http/files/content_disposition.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/content_disposition");

TEST_CASE("a download's name is written plainly if possible, and otherwise also in UTF-8, RFC 6266") {
  const struct {
    std::string why;
    std::string_view name;
    std::string want;
  } cases[] = {
      {"a plain name", "report.pdf", R"(attachment; filename="report.pdf")"},
      {"spaces are plain", "my report.pdf", R"(attachment; filename="my report.pdf")"},
      {"only the last part of a path is used", "a/b\\c.txt", R"(attachment; filename="c.txt")"},
      {"no name", "", "attachment"},
      {"a path that ends in a slash", "a/", "attachment"},
      {"two bytes of UTF-8 are one character", "naïve.txt",
       R"(attachment; filename="na_ve.txt"; filename*=UTF-8''na%C3%AFve.txt)"},
      {"the example of RFC 8187", "€ rates", R"(attachment; filename="_ rates"; filename*=UTF-8''%E2%82%AC%20rates)"},
      {"a quote does not end the string", "a\"b", R"(attachment; filename="a_b"; filename*=UTF-8''a%22b)"},
      {"an escape is not decoded", "a%41", R"(attachment; filename="a_41"; filename*=UTF-8''a%2541)"},
      {"CR LF does not split the head", "a\r\nb: c",
       R"(attachment; filename="a__b: c"; filename*=UTF-8''a%0D%0Ab%3A%20c)"},
      {"NUL and DEL", std::string_view("a\0\x7f", 3), R"(attachment; filename="a__"; filename*=UTF-8''a%00%7F)"},
  };
  for (const auto& [why, name, want] : cases) {
    CAPTURE(why);
    CHECK(attachment(name) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::files
