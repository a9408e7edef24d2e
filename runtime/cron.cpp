// SPDX-License-Identifier: MIT

#include "runtime/cron.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <span>
#include <system_error>

namespace volt {
namespace {

// A leap day may be eight years from the last one: 1896 and 1904, 2096 and 2104. A few weekdays are farther apart.
constexpr int kDaysMax = 366 * 41;

constexpr std::array<std::string_view, 12> kMonthNames = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 8> kWeekdayNames = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun"};

struct Field {
  std::string_view name;
  unsigned min;
  unsigned max;
  std::span<const std::string_view> names = {};  // of the values from `min` on
};
constexpr unsigned kLastSunday = 7;
constexpr std::array<Field, 5> kFields = {{
    {"minute", 0, 59},
    {"hour", 0, 23},
    {"day of the month", 1, 31},
    {"month", 1, 12, kMonthNames},
    {"day of the week", 0, kLastSunday, kWeekdayNames},
}};

using Bits = std::expected<std::uint64_t, std::string>;

std::unexpected<std::string> mistake(const Field& field, std::string_view found, std::string_view expected) {
  std::string text = "the ";
  text.append(field.name).append(" of a cron expression is ").append(expected);
  return std::unexpected(text.append(", not \"").append(found) += '"');
}

std::string range_of(const Field& field) {
  return "from " + std::to_string(field.min) + " to " + std::to_string(field.max);
}

std::optional<unsigned> number_of(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<unsigned> value_of(const Field& field, std::string_view text) {
  const auto equal = [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); };
  for (std::size_t i = 0; i != field.names.size(); ++i) {
    if (std::ranges::equal(field.names[i], text, equal)) return field.min + static_cast<unsigned>(i);
  }
  const auto number = number_of(text);
  return number && *number >= field.min && *number <= field.max ? number : std::nullopt;
}

// Parses one element of a list: "*", "5", "1-5", with "/2" or without.
Bits parse_element(const Field& field, std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view values = text.substr(0, slash);
  const std::size_t dash = values.find('-');
  std::optional<unsigned> first = field.min;
  std::optional<unsigned> last = field.max;
  if (values != "*") {
    first = value_of(field, values.substr(0, dash));
    last = dash == std::string_view::npos ? first : value_of(field, values.substr(dash + 1));
  }
  if (!first || !last) return mistake(field, text, range_of(field));
  if (last == 0 && first > 0 && field.max == kLastSunday) last = kLastSunday;  // "fri-sun"
  if (*first > *last) return mistake(field, text, "a range from a lower to a higher value");
  unsigned step = 1;
  if (slash != std::string_view::npos) {
    const auto number = number_of(text.substr(slash + 1));
    if (!number || *number == 0) return mistake(field, text, "a range and a step of at least 1");
    if (values != "*" && dash == std::string_view::npos) return mistake(field, text, "a range or * before its step");
    step = *number;
  }
  std::uint64_t bits = 0;
  for (unsigned value = *first; value <= *last; value += std::min(step, field.max + 1))
    bits |= std::uint64_t{1} << value;
  return bits;
}

Bits parse_field(const Field& field, std::string_view text) {
  std::uint64_t all = 0;
  for (;;) {
    const std::size_t comma = text.find(',');
    const Bits bits = parse_element(field, text.substr(0, comma));
    if (!bits) return bits;
    all |= *bits;
    if (comma == std::string_view::npos) return all;
    text.remove_prefix(comma + 1);
  }
}

bool has(std::uint64_t bits, unsigned value) noexcept { return (bits >> value & 1) != 0; }

// Returns the lowest value of at least `from` whose bit is set.
std::optional<int> next_of(std::uint64_t bits, unsigned from) noexcept {
  const std::uint64_t rest = from > 63 ? 0 : bits >> from << from;
  if (rest == 0) return std::nullopt;
  return std::countr_zero(rest);
}

}  // namespace

std::expected<Cron, std::string> Cron::parse(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  std::array<std::string_view, kFields.size()> words;
  std::size_t count = 0;
  std::string_view rest = text;
  for (std::size_t begin = 0; (begin = rest.find_first_not_of(kSpace)) != std::string_view::npos; ++count) {
    rest.remove_prefix(begin);
    const std::string_view word = rest.substr(0, rest.find_first_of(kSpace));
    if (count < words.size()) words[count] = word;
    rest.remove_prefix(word.size());
  }
  if (count != words.size()) {
    return std::unexpected(
        "a cron expression has five fields (minute, hour, day of the month, month, day of the week), "
        "not " +
        std::to_string(count) + ": \"" + std::string(text) + '"');
  }
  std::array<std::uint64_t, kFields.size()> bits{};
  for (std::size_t i = 0; i != bits.size(); ++i) {
    const Bits parsed = parse_field(kFields[i], words[i]);
    if (!parsed) return std::unexpected(parsed.error());
    bits[i] = *parsed;
  }
  Cron cron;
  cron.minutes_ = bits[0];
  cron.hours_ = static_cast<std::uint32_t>(bits[1]);
  cron.days_ = static_cast<std::uint32_t>(bits[2]);
  cron.months_ = static_cast<std::uint16_t>(bits[3]);
  cron.weekdays_ = static_cast<std::uint8_t>((bits[4] | bits[4] >> 7) & 0x7f);  // 7 is Sunday, as 0 is
  cron.either_day_ = !words[2].starts_with('*') && !words[4].starts_with('*');
  if (!cron.next(std::chrono::sys_days())) {
    return std::unexpected("the date of the cron expression \"" + std::string(text) + "\" never comes");
  }
  return cron;
}

bool Cron::matches(std::chrono::sys_days day) const noexcept {
  const std::chrono::year_month_day date(day);
  if (!has(months_, static_cast<unsigned>(date.month()))) return false;
  const bool of_month = has(days_, static_cast<unsigned>(date.day()));
  const bool of_week = has(weekdays_, std::chrono::weekday(day).c_encoding());
  return either_day_ ? of_month || of_week : of_month && of_week;
}

std::optional<std::chrono::sys_seconds> Cron::next(
    std::chrono::sys_time<std::chrono::nanoseconds> after) const noexcept {
  using std::chrono::days;
  using std::chrono::hours;
  using std::chrono::minutes;
  const auto from = std::chrono::floor<minutes>(after) + minutes(1);
  auto day = std::chrono::floor<days>(from);
  const std::chrono::hh_mm_ss time(from - day);
  auto hour = static_cast<unsigned>(time.hours().count());
  auto minute = static_cast<unsigned>(time.minutes().count());
  for (int i = 0; i != kDaysMax; ++i, day += days(1), hour = minute = 0) {
    if (!matches(day)) continue;
    for (auto h = next_of(hours_, hour); h; h = next_of(hours_, static_cast<unsigned>(*h) + 1)) {
      const auto m = next_of(minutes_, *h == static_cast<int>(hour) ? minute : 0);
      if (m) return day + hours(*h) + minutes(*m);
    }
  }
  return std::nullopt;
}

}  // namespace volt
