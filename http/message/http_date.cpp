// SPDX-License-Identifier: MIT

#include "http/message/http_date.h"

#include "http/message/ascii.h"
#include "runtime/base/wall_clock.h"

namespace volt::http::message {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

// The parts of a date as written. It has not been checked yet whether such a date exists.
struct Written {
  unsigned weekday = 0;  // Sunday is 0
  unsigned day = 0;
  unsigned month = 0;
  int year = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;  // 60 in a leap second
};

// Reads the parts of a date from its front. After the first part that does not match, all further reads fail.
class Reader {
 public:
  explicit Reader(std::string_view text) noexcept : rest_(text) {}

  bool finished() const noexcept { return fits_ && rest_.empty(); }

  void literal(std::string_view text) noexcept {
    fits_ = fits_ && rest_.starts_with(text);
    if (fits_) rest_.remove_prefix(text.size());
  }

  unsigned digits(std::size_t count) noexcept {
    unsigned value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      fits_ = fits_ && !rest_.empty() && message::is_digit(rest_.front());
      if (!fits_) return 0;
      value = value * 10 + static_cast<unsigned>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  // Reads the day of an asctime date, in which a space stands for a leading zero.
  unsigned padded_day() noexcept {
    if (!rest_.starts_with(' ')) return digits(2);
    literal(" ");
    return digits(1);
  }

  // Returns the index of a three-letter name in `names`, which holds all names without separators.
  unsigned short_name(std::string_view names) noexcept {
    for (std::size_t at = 0; at < names.size(); at += 3) {
      if (!rest_.starts_with(names.substr(at, 3))) continue;
      rest_.remove_prefix(3);
      return static_cast<unsigned>(at / 3);
    }
    fits_ = false;
    return 0;
  }

  unsigned long_day() noexcept {
    for (unsigned day = 0; day < kLongDays.size(); ++day) {
      if (!rest_.starts_with(kLongDays[day])) continue;
      rest_.remove_prefix(kLongDays[day].size());
      return day;
    }
    fits_ = false;
    return 0;
  }

  void time_of_day(Written& date) noexcept {
    date.hour = digits(2);
    literal(":");
    date.minute = digits(2);
    literal(":");
    date.second = digits(2);
  }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

std::optional<Written> read_imf_fixdate(std::string_view text) noexcept {
  Reader reader(text);
  Written date;
  date.weekday = reader.short_name(kDays);
  reader.literal(", ");
  date.day = reader.digits(2);
  reader.literal(" ");
  date.month = reader.short_name(kMonths) + 1;
  reader.literal(" ");
  date.year = static_cast<int>(reader.digits(4));
  reader.literal(" ");
  reader.time_of_day(date);
  reader.literal(" GMT");
  if (!reader.finished()) return std::nullopt;
  return date;
}

// Reads an RFC 850 date. The `year` of the result is the two digits as written, without a century.
std::optional<Written> read_rfc850_date(std::string_view text) noexcept {
  Reader reader(text);
  Written date;
  date.weekday = reader.long_day();
  reader.literal(", ");
  date.day = reader.digits(2);
  reader.literal("-");
  date.month = reader.short_name(kMonths) + 1;
  reader.literal("-");
  date.year = static_cast<int>(reader.digits(2));
  reader.literal(" ");
  reader.time_of_day(date);
  reader.literal(" GMT");
  if (!reader.finished()) return std::nullopt;
  return date;
}

std::optional<Written> read_asctime_date(std::string_view text) noexcept {
  Reader reader(text);
  Written date;
  date.weekday = reader.short_name(kDays);
  reader.literal(" ");
  date.month = reader.short_name(kMonths) + 1;
  reader.literal(" ");
  date.day = reader.padded_day();
  reader.literal(" ");
  reader.time_of_day(date);
  reader.literal(" ");
  date.year = static_cast<int>(reader.digits(4));
  if (!reader.finished()) return std::nullopt;
  return date;
}

sys_seconds instant(const Written& date) noexcept {
  using namespace std::chrono;
  const sys_days day(year(date.year) / month(date.month) / std::chrono::day(date.day));
  return day + hours(date.hour) + minutes(date.minute) + seconds(date.second);
}

std::optional<sys_seconds> checked(const Written& date) noexcept {
  using namespace std::chrono;
  const year_month_day day(year(date.year), month(date.month), std::chrono::day(date.day));
  if (!day.ok() || weekday(sys_days(day)) != weekday(date.weekday)) return std::nullopt;
  if (date.hour > 23 || date.minute > 59 || date.second > 60) return std::nullopt;
  return instant(date);
}

int full_year(const Written& date, sys_seconds now) noexcept {
  using namespace std::chrono;
  const auto today = floor<days>(now);
  const year_month_day date_now(today);
  Written candidate = date;
  candidate.year += static_cast<int>(date_now.year()) / 100 * 100;
  const sys_seconds fifty_years_on = sys_days(date_now + years(50)) + (now - today);
  return instant(candidate) > fifty_years_on ? candidate.year - 100 : candidate.year;
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text, sys_seconds now) noexcept {
  if (const auto date = read_imf_fixdate(text)) return checked(*date);
  if (const auto date = read_asctime_date(text)) return checked(*date);
  auto date = read_rfc850_date(text);
  if (!date) return std::nullopt;
  date->year = full_year(*date, now);
  return checked(*date);
}

std::optional<sys_seconds> parse_http_date(std::string_view text) noexcept {
  return parse_http_date(text, wall_second());
}

}  // namespace volt::http::message
