// SPDX-License-Identifier: MIT

#include "runtime/cron.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace volt {
namespace {

using namespace std::chrono;

sys_seconds at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0) {
  return sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)) + hours(hour) +
         minutes(minute) + seconds(second);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/cron");

TEST_CASE("the next times follow one another") {
  const struct {
    std::string why, text;
    sys_seconds from;
    std::vector<sys_seconds> next;
  } cases[] = {
      {"each minute, strictly later", "* * * * *", at(2026, 1, 1), {at(2026, 1, 1, 0, 1), at(2026, 1, 1, 0, 2)}},
      {"within a minute", "* * * * *", at(2026, 1, 1, 0, 0, 59), {at(2026, 1, 1, 0, 1)}},
      {"over the end of a year",
       "*/20 23 * * *",
       at(2026, 12, 31, 23, 39),
       {at(2026, 12, 31, 23, 40), at(2027, 1, 1, 23)}},
      {"steps of a range",
       "10-50/20 0 * * *",
       at(2026, 5, 5),
       {at(2026, 5, 5, 0, 10), at(2026, 5, 5, 0, 30), at(2026, 5, 5, 0, 50), at(2026, 5, 6, 0, 10)}},
      {"a list", "0 6,18 * * *", at(2026, 5, 5, 6), {at(2026, 5, 5, 18), at(2026, 5, 6, 6)}},
      {"the last days of months", "0 0 31 * *", at(2026, 1, 31), {at(2026, 3, 31), at(2026, 5, 31), at(2026, 7, 31)}},
      {"the 30th, but not in February", "0 0 30 * *", at(2026, 1, 30), {at(2026, 3, 30), at(2026, 4, 30)}},
      {"the end of February",
       "59 23 28-31 2 *",
       at(2027, 2, 1),
       {at(2027, 2, 28, 23, 59), at(2028, 2, 28, 23, 59), at(2028, 2, 29, 23, 59), at(2029, 2, 28, 23, 59)}},
      {"leap days", "0 12 29 2 *", at(2024, 2, 29, 12), {at(2028, 2, 29, 12), at(2032, 2, 29, 12)}},
      {"leap days around 2100, which has none", "0 0 29 2 *", at(2096, 2, 29), {at(2104, 2, 29), at(2108, 2, 29)}},
      {"the day before March", "0 0 1 3 *", at(2028, 2, 29, 23, 59), {at(2028, 3, 1), at(2029, 3, 1)}},
      {"working days", "30 3 * * mon-fri", at(2026, 11, 26, 4), {at(2026, 11, 27, 3, 30), at(2026, 11, 30, 3, 30)}},
      {"Sunday is 0", "0 0 * * 0", at(2026, 11, 24), {at(2026, 11, 29), at(2026, 12, 6)}},
      {"Sunday is 7", "0 0 * * 7", at(2026, 11, 24), {at(2026, 11, 29)}},
      {"from Friday to Sunday",
       "0 0 * * 5-7",
       at(2026, 11, 24),
       {at(2026, 11, 27), at(2026, 11, 28), at(2026, 11, 29)}},
      {"from Friday to Sunday, by name",
       "0 0 * * fri-SUN",
       at(2026, 11, 24),
       {at(2026, 11, 27), at(2026, 11, 28), at(2026, 11, 29), at(2026, 12, 4)}},
      {"from Friday to Sunday, which is also 0",
       "0 0 * * 5-0/2",
       at(2026, 11, 24),
       {at(2026, 11, 27), at(2026, 11, 29), at(2026, 12, 4)}},
      {"each day by name", "0 0 * * mon-sun", at(2026, 11, 28), {at(2026, 11, 29), at(2026, 11, 30)}},
      {"the days from Sunday on",
       "0 0 * * sun-mon",
       at(2026, 11, 24),
       {at(2026, 11, 29), at(2026, 11, 30), at(2026, 12, 6)}},
      {"names, in any case", "0 0 1 JAN,jul *", at(2026, 1, 1), {at(2026, 7, 1), at(2027, 1, 1)}},
      {"either day, if both are restricted",
       "0 0 13 * fri",
       at(2026, 11, 9),
       {at(2026, 11, 13), at(2026, 11, 20), at(2026, 11, 27), at(2026, 12, 4), at(2026, 12, 11), at(2026, 12, 13)}},
      {"both days, if one begins with *", "0 0 */2 * fri", at(2026, 11, 9), {at(2026, 11, 13), at(2026, 11, 27)}},
      {"a leap day on a Sunday, 28 years apart", "0 0 29 2 */8", at(2026, 1, 1), {at(2032, 2, 29), at(2060, 2, 29)}},
      {"before 1970", "0 0 1 1 *", at(1968, 6, 1), {at(1969, 1, 1), at(1970, 1, 1)}},
      {"tabs and spaces", "  0\t0 1  1 *  ", at(2026, 6, 1), {at(2027, 1, 1)}},
  };
  for (const auto& test : cases) {
    CAPTURE(test.why);
    const auto cron = Cron::parse(test.text);
    REQUIRE(cron);
    sys_seconds now = test.from;
    for (const sys_seconds expected : test.next) {
      const auto next = cron->next(now);
      REQUIRE(next);
      CHECK((*next - expected).count() == 0);
      now = *next;
    }
  }
}

TEST_CASE("a malformed expression is an error that names the field") {
  const struct {
    std::string text, error;
  } cases[] = {
      {"", "a cron expression has five fields (minute, hour, day of the month, month, day of the week), not 0: \"\""},
      {"* * * *",
       "a cron expression has five fields (minute, hour, day of the month, month, day of the week), not 4: "
       "\"* * * *\""},
      {"0 * * * * *",
       "a cron expression has five fields (minute, hour, day of the month, month, day of the week), not "
       "6: \"0 * * * * *\""},
      {"60 * * * *", "the minute of a cron expression is from 0 to 59, not \"60\""},
      {"-1 * * * *", "the minute of a cron expression is from 0 to 59, not \"-1\""},
      {"* 24 * * *", "the hour of a cron expression is from 0 to 23, not \"24\""},
      {"* * 0 * *", "the day of the month of a cron expression is from 1 to 31, not \"0\""},
      {"* * * 13 *", "the month of a cron expression is from 1 to 12, not \"13\""},
      {"* * * mon *", "the month of a cron expression is from 1 to 12, not \"mon\""},
      {"* * * * 8", "the day of the week of a cron expression is from 0 to 7, not \"8\""},
      {"1, * * * *", "the minute of a cron expression is from 0 to 59, not \"\""},
      {"5-1 * * * *", "the minute of a cron expression is a range from a lower to a higher value, not \"5-1\""},
      {"* 5-0 * * *", "the hour of a cron expression is a range from a lower to a higher value, not \"5-0\""},
      {"* * * * sat-mon",
       "the day of the week of a cron expression is a range from a lower to a higher value, not \"sat-mon\""},
      {"*/0 * * * *", "the minute of a cron expression is a range and a step of at least 1, not \"*/0\""},
      {"*/x * * * *", "the minute of a cron expression is a range and a step of at least 1, not \"*/x\""},
      {"5/2 * * * *", "the minute of a cron expression is a range or * before its step, not \"5/2\""},
      {"99999999999 * * * *", "the minute of a cron expression is from 0 to 59, not \"99999999999\""},
      {"0 0 30 2 *", "the date of the cron expression \"0 0 30 2 *\" never comes"},
      {"0 0 31 4,6,9,11 *", "the date of the cron expression \"0 0 31 4,6,9,11 *\" never comes"},
  };
  for (const auto& test : cases) {
    CAPTURE(test.text);
    const auto cron = Cron::parse(test.text);
    REQUIRE(!cron);
    CHECK(cron.error() == test.error);
  }
}

TEST_SUITE_END();

}  // namespace volt
