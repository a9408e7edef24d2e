// SPDX-License-Identifier: MIT

// RetryBudget: the token bucket that bounds the retries to one server (http/client/retry.h).
//
// Threads: any. Invariant: the number of tokens is between 0 and budget_burst.
#pragma once

#include <algorithm>
#include <cstdint>

#include "http/client/retry.h"
#include "runtime/base/atomic.h"

namespace volt::http::client {

class RetryBudget {
 public:
  explicit RetryBudget(const RetryOptions& options) noexcept
      : per_request_(static_cast<std::int64_t>(options.budget_ratio * kToken)),
        most_(options.budget_burst * kToken),
        left_(most_) {}

  // Adds the tokens of one request.
  void deposit() noexcept {
    std::int64_t left = left_.load(base::relaxed);  // relaxed: the exchange decides
    // relaxed: one word, which publishes nothing else
    while (!left_.compare_exchange_weak(left, std::min(most_, left + per_request_), base::relaxed)) {
    }
  }
  // Takes the token of a retry. Returns false if the budget is exhausted.
  [[nodiscard]] bool withdraw() noexcept {
    std::int64_t left = left_.load(base::relaxed);  // relaxed: the exchange decides
    do {
      if (left < kToken) return false;
    } while (!left_.compare_exchange_weak(left, left - kToken, base::relaxed));  // relaxed: one word, as in deposit()
    return true;
  }

 private:
  static constexpr std::int64_t kToken = 1'000'000;  // so that the sums of a ratio are exact

  const std::int64_t per_request_;
  const std::int64_t most_;
  base::Atomic<std::int64_t> left_;
};

}  // namespace volt::http::client
