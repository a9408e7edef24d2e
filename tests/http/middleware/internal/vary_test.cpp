// SPDX-License-Identifier: MIT

#include "http/middleware/internal/vary.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::http::middleware {

TEST_SUITE_BEGIN("http/middleware/internal/vary");

TEST_CASE("a field is listed once in Vary (RFC 9110 section 12.5.5)") {
  const struct {
    std::string_view why;
    std::vector<std::string> before;
    std::string want;
  } cases[] = {
      {"no Vary yet", {}, "Vary: Origin\r\n"},
      {"Vary lists another field", {"Cookie"}, "Vary: Cookie\r\nVary: Origin\r\n"},
      {"already listed, case-insensitive", {"Cookie, oRIGIN"}, "Vary: Cookie, oRIGIN\r\n"},
      {"already listed in a second line", {"Cookie", "Origin"}, "Vary: Cookie\r\nVary: Origin\r\n"},
      {"* covers every field", {"*"}, "Vary: *\r\n"},
      {"the name is part of another name", {"X-Origin"}, "Vary: X-Origin\r\nVary: Origin\r\n"},
  };
  for (const auto& [why, before, want] : cases) {
    CAPTURE(why);
    Response response;
    for (const std::string& value : before) response.add_header("Vary", value);
    vary_on(response, "Origin");
    CHECK(response.headers().lines() == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::middleware
