// SPDX-License-Identifier: MIT

#include "http/message/ascii.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/ascii");

TEST_CASE("comparison ignores the case of letters only") {
  CHECK(equal_ignoring_case("Content-Length", "content-LENGTH"));
  CHECK_FALSE(equal_ignoring_case("a", "ab"));
  CHECK_FALSE(equal_ignoring_case("@", "`"));  // they differ in the bit that distinguishes the case of letters
  CHECK_FALSE(equal_ignoring_case("[", "{"));
  CHECK(equal_ignoring_case("", ""));
}

TEST_CASE("optional white space is space and tab, RFC 9110 section 5.6.3") {
  CHECK(trim_ows(" \ta b\t ") == "a b");
  CHECK(trim_ows("\x0b"
                 "a") ==
        "\x0b"
        "a");
  CHECK(trim_ows(" \t ").empty());
}

TEST_CASE("a list is split at its commas, RFC 9110 section 5.6.1") {
  const auto elements = [](std::string_view list) {
    std::vector<std::string> taken;
    while (!list.empty()) taken.emplace_back(take_list_element(list));
    return taken;
  };
  CHECK(elements("a").size() == 1);
  CHECK(elements(" a , b\t,c") == std::vector<std::string>{"a", "b", "c"});
  CHECK(elements(",a") == std::vector<std::string>{"", "a"});
  CHECK(elements("").empty());
}

TEST_CASE("a token is not empty and has no separators, RFC 9110 section 5.6.2") {
  CHECK(is_token("x-Y_0!"));
  for (const std::string_view text : {"", "a b", "a:", "a/b", "\"a\"", "a,b", "(a)", "{a}", "a@b", "a=b"}) {
    CAPTURE(text);
    CHECK_FALSE(is_token(text));
  }
}

TEST_SUITE_END();
}  // namespace volt::http::message
