// SPDX-License-Identifier: MIT

// Dates of HTTP (RFC 9110 section 5.6.7), without locale or time zone data. They are written as IMF-fixdate,
// `Sun, 06 Nov 1994 08:49:37 GMT`, and read in all three forms.
//
// Threads: pure functions, except the parse_http_date() that reads the clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace volt::http::message {

inline constexpr std::size_t kHttpDateBytes = 29;
inline constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
inline constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

class HttpDate {
 public:
  // Formats a time in the years 0 to 9999. A time outside this range is clamped, so that the length never changes.
  explicit constexpr HttpDate(std::chrono::sys_seconds time) noexcept;

  constexpr std::string_view view() const noexcept { return {text_.data(), text_.size()}; }

 private:
  constexpr void put_two_digits(std::size_t at, unsigned value) noexcept {
    text_[at] = static_cast<char>('0' + value / 10);
    text_[at + 1] = static_cast<char>('0' + value % 10);
  }
  constexpr void put(std::size_t at, std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) text_[at + i] = text[i];
  }

  std::array<char, kHttpDateBytes> text_{};
};

// Parses a date in one of three forms; returns nullopt for any other text:
//   Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate
//   Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
//   Sun Nov  6 08:49:37 1994         asctime
// Case, spaces and GMT must match exactly. The day must exist, and its weekday must be right. A leap second is read as
// the first second of the next minute. A two-digit year belongs to the century of `now`, or to the century before if it
// would otherwise lie more than 50 years ahead.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text, std::chrono::sys_seconds now) noexcept;
// Calls parse_http_date(text, now) with wall_second() (runtime/wall_clock.h).
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text) noexcept;

constexpr HttpDate::HttpDate(std::chrono::sys_seconds time) noexcept {
  using namespace std::chrono;
  constexpr sys_seconds kFirst = sys_days(year(0) / 1 / 1);
  constexpr sys_seconds kLast = sys_days(year(9999) / 12 / 31) + 24h - 1s;
  const sys_seconds clamped = time < kFirst ? kFirst : time > kLast ? kLast : time;

  const sys_days day = floor<days>(clamped);
  const year_month_day date(day);
  const auto second_of_day = static_cast<unsigned>((clamped - day).count());
  const auto year_number = static_cast<unsigned>(static_cast<int>(date.year()));

  put(0, "Sun, 00 Jan 0000 00:00:00 GMT");
  put(0, kDays.substr(weekday(day).c_encoding() * 3, 3));
  put_two_digits(5, static_cast<unsigned>(date.day()));
  put(8, kMonths.substr((static_cast<unsigned>(date.month()) - 1) * 3, 3));
  put_two_digits(12, year_number / 100);
  put_two_digits(14, year_number % 100);
  put_two_digits(17, second_of_day / 3600);
  put_two_digits(20, second_of_day / 60 % 60);
  put_two_digits(23, second_of_day % 60);
}

}  // namespace volt::http::message
