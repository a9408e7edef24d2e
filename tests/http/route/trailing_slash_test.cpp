// SPDX-License-Identifier: MIT

#include "http/route/trailing_slash.h"

#include <doctest/doctest.h>

namespace volt::http::route {
TEST_SUITE_BEGIN("http/route/trailing_slash");

TEST_CASE("a redirect leads to the path with or without the slash, and keeps escapes and query") {
  CHECK(with_slash_toggled("/a") == "/a/");
  CHECK(with_slash_toggled("/a/") == "/a");
  CHECK(slash_redirect_location("/a%20b", "") == "/a%20b/");
  CHECK(slash_redirect_location("/a/", "x=1&y=/") == "/a?x=1&y=/");
}

TEST_SUITE_END();
}  // namespace volt::http::route
