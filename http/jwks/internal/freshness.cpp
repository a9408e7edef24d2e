// SPDX-License-Identifier: MIT

#include "http/jwks/internal/freshness.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "http/message/ascii.h"

namespace volt::http::jwks {
namespace {

constexpr std::int64_t kSecondsMax = std::int64_t{1} << 31;  // RFC 9111 section 1.2.2

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// delta-seconds; a number that is too large becomes the largest one.
std::optional<std::int64_t> seconds_of(std::string_view text) noexcept {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (end != text.data() + text.size() || text.empty() || !message::is_digit(text.front())) return std::nullopt;
  return error == std::errc::result_out_of_range ? kSecondsMax : std::min(seconds, kSecondsMax);
}

}  // namespace

std::optional<std::chrono::seconds> freshness_of(const Fields& fields) {
  constexpr std::string_view kMaxAge = "max-age=";
  std::string_view rest = fields.find("cache-control").value_or("");
  std::optional<std::int64_t> max_age;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view directive = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (message::equal_ignoring_case(directive, "no-store") || message::equal_ignoring_case(directive, "no-cache"))
      return std::chrono::seconds(0);
    if (message::equal_ignoring_case(directive.substr(0, kMaxAge.size()), kMaxAge))
      max_age = seconds_of(directive.substr(kMaxAge.size()));
  }
  if (!max_age) return std::nullopt;
  const std::int64_t age = seconds_of(trimmed(fields.find("age").value_or("0"))).value_or(0);
  return std::chrono::seconds(std::max<std::int64_t>(0, *max_age - age));
}

}  // namespace volt::http::jwks
