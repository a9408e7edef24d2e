// SPDX-License-Identifier: MIT

#include "http/testing/internal/cookie_date.h"

#include <array>
#include <cstddef>

#include "http/message/ascii.h"
#include "http/message/http_date.h"

namespace volt::http::testing {
namespace {

using message::is_digit;

// The delimiters of RFC 6265 section 5.1.1: all bytes but digits, letters, ':' and bytes above 0x7e.
constexpr bool separates(char c) noexcept {
  return c == '\t' || (c >= 0x20 && c <= 0x2f) || (c >= 0x3b && c <= 0x40) || (c >= 0x5b && c <= 0x60) ||
         (c >= 0x7b && c <= 0x7e);
}

// Takes a number of at least `digits_min` and at most `digits_max` digits, which no further digit follows, from the
// front of `text`.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits_min, std::size_t digits_max) noexcept {
  std::size_t digits = 0;
  unsigned value = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    if (digits == digits_max) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(text[digits++] - '0');
  }
  if (digits < digits_min) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::optional<std::chrono::seconds> time_of_day(std::string_view token) noexcept {
  std::array<unsigned, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      if (!token.starts_with(':')) return std::nullopt;
      token.remove_prefix(1);
    }
    const auto part = take_number(token, 1, 2);
    if (!part) return std::nullopt;
    parts[i] = *part;
  }
  if (parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return std::chrono::hours(parts[0]) + std::chrono::minutes(parts[1]) + std::chrono::seconds(parts[2]);
}

std::optional<unsigned> number(std::string_view token, std::size_t digits_min, std::size_t digits_max) noexcept {
  return take_number(token, digits_min, digits_max);
}

std::optional<unsigned> month_number(std::string_view token) noexcept {
  constexpr std::size_t kLetters = 3;
  for (unsigned month = 0; month < 12 && token.size() >= kLetters; ++month) {
    const std::string_view name = message::kMonths.substr(month * kLetters, kLetters);
    if (message::equal_ignoring_case(token.substr(0, kLetters), name)) return month + 1;
  }
  return std::nullopt;
}

constexpr unsigned full_year(unsigned year) noexcept {
  if (year >= 70 && year <= 99) return year + 1900;
  return year < 70 ? year + 2000 : year;
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_cookie_date(std::string_view text) noexcept {
  std::optional<std::chrono::seconds> time;
  std::optional<unsigned> day, month, year;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && !separates(text[length])) ++length;
    const std::string_view token = text.substr(0, length);
    text.remove_prefix(length < text.size() ? length + 1 : length);
    // Each token is the first of these that is still missing and that it can be.
    if (!time && (time = time_of_day(token))) continue;
    if (!day && (day = number(token, 1, 2))) continue;
    if (!month && (month = month_number(token))) continue;
    if (!year) year = number(token, 2, 4);
  }
  if (!time || !day || !month || !year) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(full_year(*year))),
                                         std::chrono::month(*month), std::chrono::day(*day));
  if (!date.ok() || date.year() < std::chrono::year(1601)) return std::nullopt;
  return std::chrono::sys_days(date) + *time;
}

}  // namespace volt::http::testing
