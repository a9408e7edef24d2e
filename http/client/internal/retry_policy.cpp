// SPDX-License-Identifier: MIT

#include "http/client/internal/retry_policy.h"

#include <algorithm>
#include <stdexcept>

#include "http/client/client_error.h"
#include "http/message/http_date.h"
#include "http/message/retry_after.h"

namespace volt::http::client {

bool is_idempotent(Method method) noexcept {
  switch (method) {
    case Method::get:
    case Method::head:
    case Method::put:
    case Method::del:
    case Method::options:
    case Method::trace:
      return true;
    default:
      return false;
  }
}

bool is_temporary_connect_error(const std::error_code& error) noexcept {
  return error == std::errc::connection_refused || error == std::errc::connection_aborted ||
         error == std::errc::host_unreachable || error == std::errc::network_unreachable ||
         error == std::errc::timed_out || is_end_of_connection(error);
}

bool is_end_of_connection(const std::error_code& error) noexcept {
  return error == ClientError::truncated || error == std::errc::connection_reset || error == std::errc::broken_pipe;
}

bool is_retried(const RetryOptions& options, Status status) noexcept {
  return std::ranges::find(options.statuses, status) != options.statuses.end();
}

void check(const RetryOptions& options) {
  constexpr auto kNone = std::chrono::nanoseconds(0);
  const bool is_ratio = options.budget_ratio >= 0 && options.budget_ratio <= 1;
  if (options.attempts_max == 0 || options.budget_burst == 0 || !is_ratio) {
    throw std::invalid_argument("RetryOptions: attempts_max and budget_burst must be at least 1, budget_ratio 0 to 1");
  }
  if (options.backoff_min < kNone || options.backoff_max < options.backoff_min) {
    throw std::invalid_argument("RetryOptions: backoff_min must be at least 0, and backoff_max at least backoff_min");
  }
}

void check(const HedgeOptions& options) {
  const bool is_part = options.percentile >= 0 && options.percentile < 1;
  if (options.delay < std::chrono::nanoseconds(0) || !is_part) {
    throw std::invalid_argument("HedgeOptions: delay must be at least 0, percentile at least 0 and below 1");
  }
}

std::chrono::nanoseconds backoff(const RetryOptions& options, std::uint32_t attempts_made, double random) noexcept {
  std::chrono::nanoseconds most = std::min(options.backoff_min, options.backoff_max);
  for (std::uint32_t attempt = 1; attempt < attempts_made && most != options.backoff_max; ++attempt) {
    most = most > options.backoff_max / 2 ? options.backoff_max : most * 2;
    if (most == std::chrono::nanoseconds(0)) break;
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(most.count()) * random));
}

std::chrono::nanoseconds retry_after(std::string_view field, std::string_view date,
                                     std::chrono::sys_seconds now) noexcept {
  return message::parse_retry_after(field, message::parse_http_date(date, now).value_or(now));
}

}  // namespace volt::http::client
