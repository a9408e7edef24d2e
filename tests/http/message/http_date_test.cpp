// SPDX-License-Identifier: MIT

#include "http/message/http_date.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http::message {
TEST_SUITE_BEGIN("http/message/http_date");

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

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::int64_t kExample = 784111777;      // Sun, 06 Nov 1994 08:49:37 GMT
constexpr sys_seconds kNow{seconds(1767225600)};  // Thu, 01 Jan 2026 00:00:00 GMT
constexpr std::string_view kFixdate = "Sun, 06 Nov 1994 08:49:37 GMT";

std::optional<std::int64_t> parsed(std::string_view text, sys_seconds now = kNow) {
  const auto time = parse_http_date(text, now);
  if (!time) return std::nullopt;
  return time->time_since_epoch().count();
}

}  // namespace

TEST_CASE("a date is read in each of its three forms, RFC 9110 section 5.6.7") {
  const struct {
    std::string_view why, text;
    std::int64_t want;
  } cases[] = {
      {"IMF-fixdate", kFixdate, kExample},
      {"RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", kExample},
      {"asctime", "Sun Nov  6 08:49:37 1994", kExample},
      {"asctime, a day of two digits", "Wed Nov 16 08:49:37 1994", kExample + 10 * 86400},
      {"the longest name of a day", "Wednesday, 16-Nov-94 08:49:37 GMT", kExample + 10 * 86400},
      {"the epoch", "Thu, 01 Jan 1970 00:00:00 GMT", 0},
      {"before the epoch", "Wed, 31 Dec 1969 23:59:59 GMT", -1},
      {"past 2^31", "Tue, 19 Jan 2038 03:14:08 GMT", 2147483648},
      {"a leap day", "Tue, 29 Feb 2000 00:00:00 GMT", 951782400},
      {"the first year", "Sat, 01 Jan 0000 00:00:00 GMT", -62167219200},
      {"the last second", "Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
      {"a leap second", "Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    CHECK(parsed(text) == want);
  }
}

TEST_CASE("text in none of the three forms is not a date, RFC 9110 section 5.6.7") {
  const struct {
    std::string_view why, text;
  } cases[] = {
      {"nothing", ""},
      {"a number of seconds", "784111777"},
      {"the day is case-sensitive", "SUN, 06 Nov 1994 08:49:37 GMT"},
      {"the month is case-sensitive", "Sun, 06 nov 1994 08:49:37 GMT"},
      {"the zone is case-sensitive", "Sun, 06 Nov 1994 08:49:37 gmt"},
      {"UTC under another name", "Sun, 06 Nov 1994 08:49:37 UTC"},
      {"an offset", "Sun, 06 Nov 1994 08:49:37 +0000"},
      {"another zone", "Sun, 06 Nov 1994 08:49:37 EST"},
      {"no zone", "Sun, 06 Nov 1994 08:49:37"},
      {"a day of one digit", "Sun, 6 Nov 1994 08:49:37 GMT"},
      {"a day of one digit and a space", "Sun,  6 Nov 1994 08:49:37 GMT"},
      {"two spaces", "Sun, 06  Nov 1994 08:49:37 GMT"},
      {"a tab", "Sun,\t06 Nov 1994 08:49:37 GMT"},
      {"a space before", " Sun, 06 Nov 1994 08:49:37 GMT"},
      {"a trailing space", "Sun, 06 Nov 1994 08:49:37 GMT "},
      {"trailing text", "Sun, 06 Nov 1994 08:49:37 GMT; length=5"},
      {"two dates", "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"},
      {"a year of two digits in IMF-fixdate", "Sun, 06 Nov 94 08:49:37 GMT"},
      {"a year of five digits", "Sun, 06 Nov 11994 08:49:37 GMT"},
      {"a year of four digits in RFC 850", "Sunday, 06-Nov-1994 08:49:37 GMT"},
      {"a short day in RFC 850", "Sun, 06-Nov-94 08:49:37 GMT"},
      {"a long day in IMF-fixdate", "Sunday, 06 Nov 1994 08:49:37 GMT"},
      {"asctime with a zone", "Sun Nov  6 08:49:37 1994 GMT"},
      {"asctime with a zero", "Sun Nov 006 08:49:37 1994"},
      {"asctime with one space", "Sun Nov 6 08:49:37 1994"},
      {"a wrong weekday", "Mon, 06 Nov 1994 08:49:37 GMT"},
      {"a wrong weekday, RFC 850", "Monday, 06-Nov-94 08:49:37 GMT"},
      {"a day that does not exist", "Sun, 00 Nov 1994 08:49:37 GMT"},
      {"a day that the month does not have", "Thu, 31 Nov 1994 08:49:37 GMT"},
      {"no leap day in 1900", "Thu, 29 Feb 1900 08:49:37 GMT"},
      {"a month that does not exist", "Sun, 06 Nob 1994 08:49:37 GMT"},
      {"an hour that does not exist", "Sun, 06 Nov 1994 24:00:00 GMT"},
      {"a minute that does not exist", "Sun, 06 Nov 1994 08:60:37 GMT"},
      {"a second that does not exist", "Sun, 06 Nov 1994 08:49:61 GMT"},
      {"a fraction", "Sun, 06 Nov 1994 08:49:37.5 GMT"},
      {"a sign", "Sun, 06 Nov 1994 08:49:+7 GMT"},
      {"no seconds", "Sun, 06 Nov 1994 08:49 GMT"},
      {"ISO 8601", "1994-11-06T08:49:37Z"},
  };
  for (const auto& [why, text] : cases) {
    CAPTURE(why);
    CHECK(parsed(text) == std::nullopt);
  }
}

TEST_CASE("a prefix of a date is not a date, and no byte of a date may be changed") {
  for (const std::string_view form :
       {std::string_view("Sun, 06 Nov 1994 08:49:37 GMT"), std::string_view("Sunday, 06-Nov-94 08:49:37 GMT"),
        std::string_view("Sun Nov  6 08:49:37 1994")}) {
    for (std::size_t size = 0; size < form.size(); ++size) CHECK(parsed(form.substr(0, size)) == std::nullopt);
    for (std::size_t at = 0; at < form.size(); ++at) {
      for (const char intruder : {'\0', '\xff', ':', '/', 'x'}) {
        std::string spoilt(form);
        if (spoilt[at] == intruder) continue;
        spoilt[at] = intruder;
        CAPTURE(spoilt);
        CHECK(parsed(spoilt) == std::nullopt);
      }
    }
  }
}

TEST_CASE("a year of two digits is at most 50 years ahead, RFC 9110 section 5.6.7") {
  const struct {
    std::string_view why, text, same_as;
    std::string_view now = "Thu, 01 Jan 2026 00:00:00 GMT";
  } cases[] = {
      {"the present year", "Thursday, 01-Jan-26 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 GMT"},
      {"ten years ago", "Friday, 01-Jan-16 00:00:00 GMT", "Fri, 01 Jan 2016 00:00:00 GMT"},
      {"ten years ahead", "Tuesday, 01-Jan-36 00:00:00 GMT", "Tue, 01 Jan 2036 00:00:00 GMT"},
      {"50 years ahead", "Wednesday, 01-Jan-76 00:00:00 GMT", "Wed, 01 Jan 2076 00:00:00 GMT"},
      {"a second more than 50 years ahead", "Thursday, 01-Jan-76 00:00:01 GMT", "Thu, 01 Jan 1976 00:00:01 GMT"},
      {"in the next century", "Friday, 01-Jan-99 00:00:00 GMT", "Fri, 01 Jan 1999 00:00:00 GMT"},
      {"from a leap day", "Thursday, 01-Mar-74 00:00:00 GMT", "Thu, 01 Mar 2074 00:00:00 GMT",
       "Thu, 29 Feb 2024 00:00:00 GMT"},
  };
  for (const auto& [why, text, same_as, now] : cases) {
    CAPTURE(why);
    const auto clock = parse_http_date(now, kNow);
    REQUIRE(clock.has_value());
    REQUIRE(parsed(same_as).has_value());
    CHECK(parsed(text, *clock) == parsed(same_as));
  }
}

TEST_CASE("a written date can be read") {
  for (std::int64_t second = -3'000'000'000; second < 20'000'000'000; second += 86'400 * 13 + 3'607) {
    CHECK(parsed(HttpDate(sys_seconds(seconds(second))).view()) == second);
  }
  CHECK(parse_http_date(kFixdate) == sys_seconds(seconds(kExample)));
}

TEST_SUITE_END();
}  // namespace volt::http::message
