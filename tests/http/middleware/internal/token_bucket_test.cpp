// SPDX-License-Identifier: MIT

#include "http/middleware/internal/token_bucket.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"

namespace volt::http::middleware {
namespace {

using namespace std::chrono_literals;

}  // namespace

TEST_SUITE_BEGIN("http/middleware/internal/token_bucket");

TEST_CASE("after a burst, requests are allowed one at a time as tokens are regained") {
  TokenBuckets buckets({.rate_per_second = 10, .burst = 3});
  const auto start = 1000s;
  for (const std::uint32_t left : {2U, 1U, 0U}) {
    const auto verdict = buckets.take("a", start);
    CHECK(verdict.allowed);
    CHECK(verdict.remaining == left);
  }
  const auto refused = buckets.take("a", start);
  CHECK_FALSE(refused.allowed);
  CHECK(refused.retry_after == 100ms);
  CHECK(refused.remaining == 0);

  CHECK(buckets.take("a", start + 99ms).retry_after == 1ms);
  CHECK(buckets.take("a", start + 100ms).allowed);
  CHECK_FALSE(buckets.take("a", start + 100ms).allowed);
  CHECK(buckets.take("a", start + 10s).remaining == 2);  // a full bucket gains no more tokens
}

TEST_CASE("a refused request takes no tokens") {
  TokenBuckets buckets({.rate_per_second = 10, .burst = 1});
  CHECK(buckets.take("a", 0s).allowed);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(buckets.take("a", 50ms).allowed);
  CHECK(buckets.take("a", 100ms).allowed);
}

TEST_CASE("several tokens are taken together or not at all") {
  TokenBuckets buckets({.rate_per_second = 1, .burst = 10});
  CHECK(buckets.take("a", 0s, 7).remaining == 3);
  const auto refused = buckets.take("a", 0s, 5);
  CHECK_FALSE(refused.allowed);
  CHECK(refused.retry_after == 2s);
  CHECK(refused.remaining == 3);
  CHECK(buckets.take("a", 0s, 3).allowed);
  CHECK(buckets.take("a", 10s, 10).allowed);
}

TEST_CASE("each key has a bucket of its own") {
  TokenBuckets buckets({.rate_per_second = 1, .burst = 1});
  CHECK(buckets.take("a", 0s).allowed);
  CHECK(buckets.take("b", 0s).allowed);
  CHECK(buckets.take("", 0s).allowed);
  CHECK_FALSE(buckets.take("a", 0s).allowed);
  CHECK_FALSE(buckets.take("", 0s).allowed);
}

TEST_CASE("rates may be below or far above one per second") {
  TokenBuckets slow({.rate_per_second = 0.001, .burst = 1});
  CHECK(slow.take("a", 0s).allowed);
  CHECK(slow.take("a", 1s).retry_after == 999s);

  TokenBuckets fast({.rate_per_second = 1e12, .burst = 2});  // limited to 1e9 per second
  CHECK(fast.take("a", 0s, 2).allowed);
  CHECK(fast.take("a", 0s).retry_after == 1ns);
}

TEST_CASE("a clock that goes back yields no tokens") {
  TokenBuckets buckets({.rate_per_second = 1, .burst = 1});
  CHECK(buckets.take("a", 100s).allowed);
  const auto refused = buckets.take("a", 50s);
  CHECK_FALSE(refused.allowed);
  CHECK(refused.retry_after == 51s);
  CHECK(refused.remaining == 0);
}

TEST_CASE("memory is bounded, and a flood of keys does not reset an abuser's bucket") {
  TokenBuckets buckets({.rate_per_second = 0.01, .burst = 100, .entries_max = 1});
  CHECK(buckets.entries_max() == 512);
  for (int i = 0; i < 100; ++i) CHECK(buckets.take("abuser", 0s).allowed);
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    CHECK(buckets.take(std::to_string(i), 0s).allowed);
    refused += !buckets.take("abuser", 0s).allowed;
  }
  CHECK(refused == 20'000);
}

TEST_CASE("half as many keys as the table has entries nearly all keep their buckets") {
  TokenBuckets buckets({.rate_per_second = 0.01, .burst = 1, .entries_max = 4096});
  std::size_t forgotten = 0;
  for (int i = 0; i < 2048; ++i) buckets.take(std::to_string(i), 0s);
  for (int i = 0; i < 2048; ++i) forgotten += buckets.take(std::to_string(i), 0s).allowed;
  // Some eight places have more than eight keys: about 2 of 100 keys are forgotten, by the Poisson distribution.
  CHECK(forgotten < 200);
}

TEST_CASE("concurrent threads neither lose nor gain a token") {
  TokenBuckets buckets({.rate_per_second = 0.01, .burst = 1000});
  base::Atomic<int> allowed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 500; ++n) allowed += buckets.take("shared", 0s).allowed;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(allowed == 1000);
}

TEST_SUITE_END();
}  // namespace volt::http::middleware
