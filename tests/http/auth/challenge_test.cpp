// SPDX-License-Identifier: MIT

#include "http/auth/challenge.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace volt::http::auth {
TEST_SUITE_BEGIN("http/auth/challenge");

TEST_CASE("a challenge has the form of RFC 6750 section 3 and RFC 7617 section 2.1") {
  CHECK(Challenge("Bearer").text() == "Bearer");
  CHECK(Challenge("Bearer").parameter("realm", "example").parameter("error", "invalid_token").text() ==
        R"(Bearer realm="example", error="invalid_token")");
  CHECK(basic_challenge("foo").text() == R"(Basic realm="foo", charset="UTF-8")");
}

TEST_CASE("a value cannot end its quotes") {
  CHECK(basic_challenge(R"(a"b\c)").text() == R"(Basic realm="a\"b\\c", charset="UTF-8")");
  CHECK(Challenge("Bearer").parameter("realm", "").text() == R"(Bearer realm="")");
}

TEST_CASE("a value cannot end its line, and names must be tokens") {
  Challenge challenge("Bearer");
  CHECK_THROWS_AS(challenge.parameter("realm", "a\r\nSet-Cookie: b"), std::invalid_argument);
  CHECK_THROWS_AS(challenge.parameter("re alm", "a"), std::invalid_argument);
  CHECK_THROWS_AS(challenge.parameter("", "a"), std::invalid_argument);
  CHECK(challenge.text() == "Bearer");
  CHECK_THROWS_AS(Challenge("a b"), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http::auth
