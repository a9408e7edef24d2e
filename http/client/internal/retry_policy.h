// SPDX-License-Identifier: MIT

// The decisions about retries (http/client/retry.h) and hedges (http/client/hedge.h) that need neither a clock nor a
// connection.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "http/client/hedge.h"
#include "http/client/retry.h"
#include "http/message/method.h"

namespace volt::http::client {

// Returns whether the method is idempotent (RFC 9110 section 9.2.2). An unknown method is not.
[[nodiscard]] bool is_idempotent(Method method) noexcept;

// Returns whether another attempt may succeed after connecting has failed with `error`.
[[nodiscard]] bool is_temporary_connect_error(const std::error_code& error) noexcept;

// Returns whether `error` says that the peer has ended the connection.
[[nodiscard]] bool is_end_of_connection(const std::error_code& error) noexcept;

[[nodiscard]] bool is_retried(const RetryOptions& options, Status status) noexcept;

// Throws std::invalid_argument if an option is out of its range.
void check(const RetryOptions& options);
void check(const HedgeOptions& options);

[[nodiscard]] inline bool is_enabled(const HedgeOptions& options) noexcept {
  return options.delay != std::chrono::nanoseconds(0) || options.percentile != 0;
}

// Returns the wait after `attempts_made` attempts, of which there was at least one. `random` is from [0, 1).
[[nodiscard]] std::chrono::nanoseconds backoff(const RetryOptions& options, std::uint32_t attempts_made,
                                               double random) noexcept;

// Returns the time that the value of Retry-After names, or 0. If that is a date, the time counts from `date`, the value
// of the response's Date field, which has the server's clock, or from `now` if `date` is empty or invalid.
[[nodiscard]] std::chrono::nanoseconds retry_after(std::string_view field, std::string_view date,
                                                   std::chrono::sys_seconds now) noexcept;

}  // namespace volt::http::client
