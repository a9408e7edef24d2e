// SPDX-License-Identifier: MIT

#include "http/testing/internal/cookie_date.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace volt::http::testing {

TEST_SUITE_BEGIN("http/testing/internal/cookie_date");

TEST_CASE("dates of cookies are read as browsers read them (RFC 6265 section 5.1.1)") {
  constexpr std::int64_t kMoment = 784111777;  // 1994-11-06T08:49:37Z
  const struct {
    std::string_view why, text;
    std::optional<std::int64_t> want;
  } cases[] = {
      {"the form of HTTP", "Sun, 06 Nov 1994 08:49:37 GMT", kMoment},
      {"dashes", "Sun, 06-Nov-1994 08:49:37 GMT", kMoment},
      {"a year of two digits, a long month", "Sunday, 6 november 94 8:49:37", kMoment},
      {"any order", "08:49:37 1994 Nov 06", kMoment},
      {"asctime", "Sun Nov  6 08:49:37 1994", kMoment},
      {"a year of this century", "1 Jan 69 00:00:00", 3124224000},
      {"before 1970", "1 Jan 1969 00:00:00", -31536000},
      {"no time", "Sun, 06 Nov 1994", {}},
      {"no day", "Nov 1994 08:49:37", {}},
      {"no month", "6 1994 08:49:37", {}},
      {"no year", "6 Nov 08:49:37", {}},
      {"a day that does not exist", "31 Nov 1994 08:49:37", {}},
      {"an hour that does not exist", "6 Nov 1994 24:49:37", {}},
      {"before 1601", "6 Nov 1600 08:49:37", {}},
      {"a year of five digits", "6 Nov 19940 08:49:37", {}},
      {"nothing", "", {}},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    const auto moment = parse_cookie_date(text);
    CHECK(moment.has_value() == want.has_value());
    if (moment && want) CHECK(moment->time_since_epoch().count() == *want);
  }
}

}  // namespace volt::http::testing
