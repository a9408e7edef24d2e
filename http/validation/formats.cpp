// SPDX-License-Identifier: MIT

#include "http/validation/formats.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "http/message/ascii.h"

namespace volt {
namespace {

using http::message::is_alpha;
using http::message::is_digit;
using http::message::is_hex;

bool is_label(std::string_view label) noexcept {
  constexpr std::size_t kBytesMax = 63;  // RFC 1035 section 2.3.4
  return !label.empty() && label.size() <= kBytesMax && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) { return is_alpha(c) || is_digit(c) || c == '-'; });
}

// Source: HTML, section "valid email address", which is what browsers accept.
bool is_email(std::string_view text) noexcept {
  constexpr std::size_t kBytesMax = 254;  // RFC 5321 section 4.5.3.1.3, without the angle brackets
  constexpr std::string_view kMarks = ".!#$%&'*+/=?^_`{|}~-";
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0 || text.size() > kBytesMax) return false;
  const auto is_local = [&](char c) { return is_alpha(c) || is_digit(c) || kMarks.contains(c); };
  if (!std::ranges::all_of(text.substr(0, at), is_local)) return false;
  for (std::string_view domain = text.substr(at + 1);;) {
    const std::size_t dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

bool is_uuid(std::string_view text) noexcept {
  constexpr std::size_t kBytes = 36;
  if (text.size() != kBytes) return false;
  for (std::size_t i = 0; i != kBytes; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_uri(std::string_view text) noexcept {
  constexpr std::string_view kMarks = "-._~:/?#[]@!$&'()*+,;=";  // RFC 3986 sections 2.2 and 2.3
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || !is_alpha(text.front()))
    return false;
  const auto of_scheme = [](char c) { return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::ranges::all_of(text.substr(0, colon), of_scheme)) return false;
  for (std::size_t i = colon + 1; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3 || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
      i += 2;
    } else if (!is_alpha(text[i]) && !is_digit(text[i]) && !kMarks.contains(text[i])) {
      return false;
    }
  }
  return std::ranges::count(text, '#') <= 1;
}

// Takes `count` digits from the front of `text`.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count) noexcept {
  if (text.size() < count || !std::ranges::all_of(text.substr(0, count), is_digit)) return std::nullopt;
  unsigned number = 0;
  for (const char c : text.substr(0, count)) number = number * 10 + static_cast<unsigned>(c - '0');
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, std::string_view any_of) noexcept {
  if (text.empty() || !any_of.contains(text.front())) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) noexcept {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return false;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return false;
  const auto day = take_digits(text, 2);
  using namespace std::chrono;
  return day &&
         year_month_day(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month), std::chrono::day(*day))
             .ok();
}

bool take_clock(std::string_view& text, bool with_seconds) noexcept {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return false;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return false;
  if (!with_seconds) return true;
  if (!take(text, ":")) return false;
  const auto second = take_digits(text, 2);
  return second && *second <= 60;
}

bool is_date_time(std::string_view text) noexcept {
  if (!take_date(text) || !take(text, "Tt") || !take_clock(text, true)) return false;
  if (take(text, ".")) {
    if (!take_digits(text, 1)) return false;
    while (take_digits(text, 1)) {
    }
  }
  if (take(text, "Zz")) return text.empty();
  return take(text, "+-") && take_clock(text, false) && text.empty();
}

std::string_view name_of(TextFormat format) noexcept {
  switch (format) {
    case TextFormat::email:
      return "email";
    case TextFormat::uuid:
      return "uuid";
    case TextFormat::uri:
      return "uri";
    case TextFormat::date:
      return "date";
    case TextFormat::date_time:
      return "date-time";
  }
  std::unreachable();
}

}  // namespace

bool has_format(std::string_view text, TextFormat format) noexcept {
  switch (format) {
    case TextFormat::email:
      return is_email(text);
    case TextFormat::uuid:
      return is_uuid(text);
    case TextFormat::uri:
      return is_uri(text);
    case TextFormat::date:
      return take_date(text) && text.empty();
    case TextFormat::date_time:
      return is_date_time(text);
  }
  std::unreachable();
}

std::string format_sentence(TextFormat format) {
  switch (format) {
    case TextFormat::email:
      return "must be an email address";
    case TextFormat::uuid:
      return "must be a UUID";
    case TextFormat::uri:
      return "must be an absolute URI";
    case TextFormat::date:
      return "must be a date, such as 2026-02-28";
    case TextFormat::date_time:
      return "must be a date and a time with its offset, such as 2026-02-28T12:00:00Z";
  }
  std::unreachable();
}

std::string format_schema(TextFormat format) { return "\"format\":\"" + std::string(name_of(format)) + '"'; }

}  // namespace volt
