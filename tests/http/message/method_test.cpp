// SPDX-License-Identifier: MIT

#include "http/message/method.h"

#include <doctest/doctest.h>

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

TEST_CASE("a status has the reason phrase of RFC 9110 section 15, or none") {
  CHECK(reason_phrase(Status::ok) == "OK");
  CHECK(reason_phrase(Status{418}).empty());
  CHECK(code(Status::not_found) == 404);
}

TEST_SUITE_END();
}  // namespace volt::http
