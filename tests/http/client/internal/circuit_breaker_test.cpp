// SPDX-License-Identifier: MIT

#include "http/client/internal/circuit_breaker.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

namespace volt::http::client {
namespace {

using namespace std::chrono_literals;
using Change = CircuitBreaker::Change;

// Sends a request that is permitted, and reports its outcome.
Change send(CircuitBreaker& breaker, bool succeeds, std::chrono::nanoseconds now) {
  std::optional<CircuitBreaker::Ticket> ticket = breaker.admit(now);
  REQUIRE(ticket);
  return ticket->report(succeeds, now);
}

}  // namespace

TEST_SUITE_BEGIN("http/client/internal/circuit_breaker");

TEST_CASE("failures in a row open the circuit for open_for, and a successful probe closes it") {
  CircuitBreaker breaker({.consecutive_failures = 3, .open_for = 5s});
  CHECK(send(breaker, false, 0s) == Change::none);
  CHECK(send(breaker, false, 0s) == Change::none);
  CHECK(send(breaker, true, 0s) == Change::none);  // the row ends
  CHECK(send(breaker, false, 1s) == Change::none);
  CHECK(send(breaker, false, 1s) == Change::none);
  CHECK(breaker.state() == CircuitState::closed);
  CHECK(send(breaker, false, 2s) == Change::opened);
  CHECK(breaker.state() == CircuitState::open);
  CHECK(breaker.open_for(2s) == 5s);
  CHECK(breaker.open_for(6s) == 1s);
  CHECK(breaker.refuses(6999ms));
  CHECK_FALSE(breaker.admit(6999ms));
  CHECK_FALSE(breaker.refuses(7s));
  CHECK(send(breaker, true, 7s) == Change::closed);
  CHECK(breaker.state() == CircuitState::closed);
  CHECK(send(breaker, false, 7s) == Change::none);  // the count has begun again
}

TEST_CASE("while half open only the probes are sent; one that fails opens the circuit again") {
  CircuitBreaker breaker({.consecutive_failures = 1, .open_for = 5s, .probes = 2});
  CHECK(send(breaker, false, 0s) == Change::opened);
  auto first = breaker.admit(5s);
  auto second = breaker.admit(5s);
  REQUIRE(first);
  REQUIRE(second);
  CHECK(breaker.state() == CircuitState::half_open);
  CHECK(breaker.open_for(5s) == 0s);
  CHECK_FALSE(breaker.admit(5s));
  CHECK(first->report(true, 6s) == Change::none);
  CHECK_FALSE(breaker.admit(6s));  // the second probe decides
  CHECK(second->report(false, 7s) == Change::opened);
  CHECK(breaker.open_for(7s) == 5s);
  CHECK(send(breaker, true, 12s) == Change::none);
  CHECK(send(breaker, true, 12s) == Change::closed);
}

TEST_CASE("a probe that is cancelled makes room for another one") {
  CircuitBreaker breaker({.consecutive_failures = 1, .open_for = 5s});
  CHECK(send(breaker, false, 0s) == Change::opened);
  {
    const auto cancelled = breaker.admit(5s);
    REQUIRE(cancelled);
    CHECK_FALSE(breaker.admit(5s));
  }
  CHECK(send(breaker, true, 5s) == Change::closed);
}

TEST_CASE("a request that began before the circuit opened does not count afterwards") {
  CircuitBreaker breaker({.consecutive_failures = 1, .open_for = 5s});
  auto late = breaker.admit(0s);
  auto later = breaker.admit(0s);
  REQUIRE(late);
  REQUIRE(later);
  CHECK(send(breaker, false, 0s) == Change::opened);
  CHECK(late->report(true, 1s) == Change::none);
  CHECK(breaker.state() == CircuitState::open);
  const auto probe = breaker.admit(5s);
  REQUIRE(probe);
  CHECK(later->report(false, 5s) == Change::none);
  CHECK(breaker.state() == CircuitState::half_open);
}

TEST_CASE("a failure rate opens the circuit once a window has enough requests") {
  CircuitBreaker breaker({.failure_rate = 0.5, .rate_window = 10s, .rate_requests_min = 4});
  for (int i = 0; i != 3; ++i) CHECK(send(breaker, false, 0s) == Change::none);
  CHECK(send(breaker, false, 10s) == Change::none);  // a new window
  CHECK(send(breaker, true, 11s) == Change::none);
  CHECK(send(breaker, true, 12s) == Change::none);
  CHECK(send(breaker, true, 13s) == Change::none);
  CHECK(send(breaker, false, 14s) == Change::none);    // 2 of 5
  CHECK(send(breaker, false, 15s) == Change::opened);  // 3 of 6
}

TEST_CASE("options out of their range are refused") {
  CHECK_THROWS_AS(check(CircuitBreakerOptions{.failure_rate = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS(check(CircuitBreakerOptions{.open_for = 0s}), std::invalid_argument);
  CHECK_THROWS_AS(check(CircuitBreakerOptions{.probes = 0}), std::invalid_argument);
  CHECK_NOTHROW(check(CircuitBreakerOptions{}));
  CHECK_FALSE(is_enabled(CircuitBreakerOptions{}));
}

TEST_SUITE_END();

}  // namespace volt::http::client
