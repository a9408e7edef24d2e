// SPDX-License-Identifier: MIT

#include "http/message/retry_after.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "http/message/http_date.h"

namespace volt::http::message {

std::chrono::nanoseconds parse_retry_after(std::string_view field, std::chrono::sys_seconds now) noexcept {
  constexpr std::uint32_t kSecondsMax = 24 * 60 * 60;
  std::uint32_t seconds = 0;
  const char* const end = field.data() + field.size();
  if (const auto [stop, error] = std::from_chars(field.data(), end, seconds); error == std::errc() && stop == end) {
    return std::chrono::seconds(std::min(seconds, kSecondsMax));
  }
  const auto date = parse_http_date(field, now);
  if (!date || *date <= now) return std::chrono::nanoseconds(0);
  return std::min<std::chrono::seconds>(*date - now, std::chrono::seconds(kSecondsMax));
}

}  // namespace volt::http::message
