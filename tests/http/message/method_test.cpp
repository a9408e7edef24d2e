// SPDX-License-Identifier: MIT

#include "http/message/method.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "http/message/ascii.h"
#include "http/message/status.h"

namespace volt::http {
TEST_SUITE_BEGIN("http/message/method");

TEST_CASE("every method is found by its exact name, RFC 9110 section 9.1") {
  for (std::size_t i = 0; i < kMethodNames.size(); ++i) {
    const auto method = static_cast<Method>(i);
    CAPTURE(to_string(method));
    CHECK(method_from_token(to_string(method)) == method);
    CHECK(message::is_token(to_string(method)));
  }
  CHECK(to_string(Method::del) == "DELETE");
  CHECK(to_string(Method::version_control) == "VERSION-CONTROL");
  for (const char* token : {"", "get", "GETS", "GE", "PRI", "FOO"}) {
    CAPTURE(token);
    CHECK_FALSE(method_from_token(token).has_value());
  }
}

TEST_CASE("each registered status has a reason phrase of its own, which fits into a status line") {
  std::set<std::string_view> phrases;
  for (unsigned number = 100; number != 600; ++number) {
    CAPTURE(number);
    const std::string_view phrase = reason_phrase(Status{static_cast<std::uint16_t>(number)});
    if (phrase.empty()) continue;
    CHECK(phrases.insert(phrase).second);
    CHECK(std::ranges::all_of(phrase, [](char c) { return message::is_alpha(c) || c == ' ' || c == '-'; }));
  }
  for (const unsigned unassigned : {199U, 306U, 418U, 430U, 509U, 599U}) {
    CAPTURE(unassigned);
    CHECK(reason_phrase(Status{static_cast<std::uint16_t>(unassigned)}).empty());
  }
}

TEST_SUITE_END();
}  // namespace volt::http
