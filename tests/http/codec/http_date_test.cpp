#include "http/codec/http_date.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

namespace volt::http::codec {
TEST_SUITE_BEGIN("http/codec/http_date");

TEST_CASE("a time is written as IMF-fixdate, RFC 9110 section 5.6.7") {
  const struct {
    std::string_view why;
    std::int64_t seconds;
    std::string_view want;
  } cases[] = {
      {"the example of the RFC", 784111777, "Sun, 06 Nov 1994 08:49:37 GMT"},
      {"the epoch", 0, "Thu, 01 Jan 1970 00:00:00 GMT"},
      {"before the epoch", -1, "Wed, 31 Dec 1969 23:59:59 GMT"},
      {"a leap day", 951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
      {"no leap day in 2100", 4107542400, "Mon, 01 Mar 2100 00:00:00 GMT"},
      {"past 2^31", 2147483648, "Tue, 19 Jan 2038 03:14:08 GMT"},
      {"the last second", 253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
      {"later is clamped", 253402300800, "Fri, 31 Dec 9999 23:59:59 GMT"},
      {"earlier is clamped", -100000000000, "Sat, 01 Jan 0000 00:00:00 GMT"},
  };
  for (const auto& [why, seconds, want] : cases) {
    CAPTURE(why);
    CHECK(HttpDate(std::chrono::sys_seconds(std::chrono::seconds(seconds))).view() == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::codec
