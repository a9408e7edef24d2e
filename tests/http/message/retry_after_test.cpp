// SPDX-License-Identifier: MIT

#include "http/message/retry_after.h"

#include <doctest/doctest.h>

#include <chrono>

namespace volt::http::message {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/message/retry_after");

TEST_CASE("Retry-After is a number of seconds or a date") {
  const std::chrono::sys_seconds now{std::chrono::seconds(784'111'777)};  // Sun, 06 Nov 1994 08:49:37 GMT
  struct Case {
    const char* field;
    std::chrono::nanoseconds want;
  };
  const Case cases[] = {{"120", 120s},
                        {"0", 0s},
                        {"Sun, 06 Nov 1994 08:50:00 GMT", 23s},
                        {"Sun, 06 Nov 1994 08:49:00 GMT", 0s},
                        {"4000000000", 24h},
                        {"Sun, 06 Nov 2094 08:50:00 GMT", 0s},  // it is a Saturday
                        {"-5", 0s},
                        {"soon", 0s},
                        {"5 s", 0s},
                        {"", 0s}};
  for (const Case& it : cases) {
    CAPTURE(it.field);
    CHECK(parse_retry_after(it.field, now) == it.want);
  }
}

TEST_SUITE_END();

}  // namespace volt::http::message
