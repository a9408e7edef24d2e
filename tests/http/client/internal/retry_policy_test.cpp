// SPDX-License-Identifier: MIT

#include "http/client/internal/retry_policy.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

#include "http/client/client.h"
#include "http/client/client_error.h"
#include "http/client/internal/authorities.h"
#include "http/client/internal/retry_budget.h"

namespace volt::http::client {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/client/internal/retry_policy");

TEST_CASE("the wait doubles up to backoff_max, and is a random part of that") {
  const RetryOptions options{.backoff_min = 100ms, .backoff_max = 350ms};
  struct Case {
    std::uint32_t attempts_made;
    double random;
    std::chrono::nanoseconds want;
  };
  const Case cases[] = {{1, 0, 0ms},     {1, 0.5, 50ms},   {2, 0.5, 100ms}, {3, 0.5, 175ms},
                        {4, 0.5, 175ms}, {99, 0.5, 175ms}, {99, 0, 0ms}};
  for (const Case& it : cases) {
    CAPTURE(it.attempts_made);
    CHECK(backoff(options, it.attempts_made, it.random) == it.want);
  }
  constexpr auto kLongest = std::chrono::nanoseconds::max();  // no overflow
  CHECK(backoff({.backoff_min = 1h, .backoff_max = kLongest}, 1000, 0.25) > std::chrono::hours(24 * 365));
  constexpr std::uint32_t kMostAttempts = std::numeric_limits<std::uint32_t>::max();
  CHECK(backoff({.backoff_min = 0s}, kMostAttempts, 0.9) == 0s);
}

TEST_CASE("Retry-After is a number of seconds, or a date by the server's clock") {
  const std::chrono::sys_seconds now{std::chrono::seconds(784'111'777)};  // Sun, 06 Nov 1994 08:49:37 GMT
  const auto wait = [&](const char* field, const char* date) { return retry_after(field, date, now); };
  CHECK(wait("", "") == 0s);
  CHECK(wait("7", "") == 7s);
  CHECK(wait("soon", "") == 0s);
  CHECK(wait("Sun, 06 Nov 1994 08:50:00 GMT", "") == 23s);
  CHECK(wait("Sun, 06 Nov 1994 08:50:00 GMT", "Sun, 06 Nov 1994 08:49:58 GMT") == 2s);
}

TEST_CASE("errors that may be gone at the next attempt are told from those that stay") {
  CHECK(is_temporary_connect_error(std::make_error_code(std::errc::connection_refused)));
  CHECK(is_temporary_connect_error(std::make_error_code(std::errc::timed_out)));
  CHECK(is_temporary_connect_error(ClientError::truncated));
  CHECK_FALSE(is_temporary_connect_error(ClientError::no_tls));
  CHECK_FALSE(is_temporary_connect_error(std::make_error_code(std::errc::permission_denied)));
  CHECK_FALSE(is_end_of_connection(std::make_error_code(std::errc::timed_out)));
}

TEST_CASE("a retry takes a token, and each request adds a part of one, up to the burst") {
  RetryBudget budget({.budget_ratio = 0.2, .budget_burst = 3});
  for (int retry = 0; retry != 3; ++retry) CHECK(budget.withdraw());
  CHECK_FALSE(budget.withdraw());
  for (int request = 0; request != 4; ++request) budget.deposit();
  CHECK_FALSE(budget.withdraw());
  budget.deposit();
  CHECK(budget.withdraw());
  CHECK_FALSE(budget.withdraw());
  for (int request = 0; request != 1000; ++request) budget.deposit();
  int retries = 0;
  while (budget.withdraw()) ++retries;
  CHECK(retries == 3);
}

TEST_CASE("retries of 1000 requests that all fail stay within the ratio and the burst") {
  RetryBudget budget({.budget_ratio = 0.2, .budget_burst = 10});
  int retries = 0;
  for (int request = 0; request != 1000; ++request) {
    budget.deposit();
    for (int attempt = 1; attempt != 3 && budget.withdraw(); ++attempt) ++retries;
  }
  CHECK(retries >= 200);
  CHECK(retries <= 210);
}

TEST_CASE("options out of their range are refused") {
  CHECK_THROWS_AS(check(RetryOptions{.attempts_max = 0}), std::invalid_argument);
  CHECK_THROWS_AS(check(RetryOptions{.backoff_min = 2s, .backoff_max = 1s}), std::invalid_argument);
  CHECK_THROWS_AS(check(RetryOptions{.budget_ratio = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS(check(RetryOptions{.budget_burst = 0}), std::invalid_argument);
  CHECK_NOTHROW(check(RetryOptions{}));
}

TEST_CASE("of more than kKnownMax servers, one without a request in progress is forgotten") {
  ClientOptions options;
  CHECK(Authorities(options).find("http a 80") == nullptr);  // no option needs it
  options.retry = {.attempts_max = 2, .budget_burst = 1};
  Authorities authorities(options);
  const auto used = authorities.find("http a 80");
  REQUIRE(used->retry_budget.withdraw());
  for (std::size_t i = 0; i != 2 * Authorities::kKnownMax; ++i) {
    CHECK(authorities.find("http " + std::to_string(i) + " 80")->retry_budget.withdraw());
  }
  CHECK(authorities.find("http a 80") == used);
  // Of the others, at least kKnownMax were forgotten: those have a full budget again.
  std::size_t forgotten = 0;
  for (std::size_t i = 0; i != 2 * Authorities::kKnownMax; ++i) {
    if (authorities.find("http " + std::to_string(i) + " 80")->retry_budget.withdraw()) ++forgotten;
  }
  CHECK(forgotten >= Authorities::kKnownMax);
}

TEST_SUITE_END();

}  // namespace volt::http::client
