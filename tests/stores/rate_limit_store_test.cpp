// SPDX-License-Identifier: MIT

// The suite that each RateLimitStore must pass, run with each of them on real servers; and what the store in Redis does
// without its server.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "http/middleware/rate_limit_store.h"
#include "redis/options.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "stores/redis_rate_limits.h"
#include "tests/support/engine.h"
#include "tests/support/reported_metrics.h"

namespace volt::stores {
namespace {

using namespace std::chrono_literals;
using http::RateLimit;
using http::RateLimitDecision;
using http::RateLimitStore;
using http::RateLimitVerdict;

redis::Pool private_redis() {
  REQUIRE_MESSAGE(std::getenv("REDIS_URL") != nullptr, "run the tests with tests/support/private_redis.py");
  return redis::Pool(redis::options_from_environment());
}

// A pool whose server refuses connections.
redis::Pool absent_redis() {
  redis::PoolOptions options;
  options.url = "unix:///nonexistent/redis.sock";
  options.acquire_timeout = 5ms;
  return redis::Pool(options);
}

std::shared_ptr<RedisRateLimits> limits_in(redis::Pool redis, RedisRateLimitOptions options = {}) {
  return std::make_shared<RedisRateLimits>(std::move(redis), std::move(options));
}

// Runs the coroutine `body(store)` with each store. A loaded machine must not make Redis late.
template <class Body>
void with_each_limits(Body body) {
  const auto in_redis = [] { return limits_in(private_redis(), {.timeout = 60s}); };
  const std::pair<const char*, std::function<std::shared_ptr<RateLimitStore>()>> kinds[] = {
      {"memory", [] { return std::make_shared<http::MemoryRateLimits>(); }}, {"Redis", in_redis}};
  for (const auto& [name, make] : kinds) {
    CAPTURE(name);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const std::shared_ptr<RateLimitStore> store = make();
      co_await body(*store);
    });
  }
}

constexpr RateLimit kQuick{.per_second = 20, .burst = 2};
constexpr RateLimit kSlow{.per_second = 0.001, .burst = 3};  // nothing is regained during a test

}  // namespace

TEST_SUITE_BEGIN("stores/rate_limit_store");

TEST_CASE("a key gets its burst, then is refused with the time to wait, and other keys are not") {
  with_each_limits([](RateLimitStore& store) -> Task<> {
    for (std::uint32_t left = kSlow.burst; left-- != 0;) {
      const RateLimitVerdict verdict = co_await store.take("burst:a", kSlow);
      CHECK(verdict.decision == RateLimitDecision::allowed);
      CHECK(verdict.remaining == left);
      const std::chrono::seconds full_after = 1000s * (kSlow.burst - left);
      CHECK(verdict.full_after <= full_after);
      CHECK(verdict.full_after > full_after - 300s);
    }
    const RateLimitVerdict refused = co_await store.take("burst:a", kSlow);
    CHECK(refused.decision == RateLimitDecision::refused);
    CHECK(refused.remaining == 0);
    CHECK(refused.retry_after > 700s);
    CHECK(refused.retry_after <= 1000s);
    CHECK(refused.full_after <= 3000s);
    for (const std::string other : {"burst:b", "burst:", "other:a", "burst:a\r\n", "burst:{a}"}) {
      const RateLimitVerdict verdict = co_await store.take(other, kSlow);
      CAPTURE(other);
      CHECK(verdict.decision == RateLimitDecision::allowed);
    }
  });
}

TEST_CASE("after the time to wait exactly one request is allowed again") {
  with_each_limits([](RateLimitStore& store) -> Task<> {
    RateLimitVerdict verdict;
    for (int i = 0; i != 100 && verdict.decision == RateLimitDecision::allowed; ++i) {
      verdict = co_await store.take("quick:a", kQuick);
    }
    REQUIRE(verdict.decision == RateLimitDecision::refused);
    CHECK(verdict.retry_after <= 50ms);
    co_await sleep_for(verdict.retry_after + 2ms);  // the memory's clock is accurate to a millisecond
    const RateLimitVerdict allowed = co_await store.take("quick:a", kQuick);
    CHECK(allowed.decision == RateLimitDecision::allowed);
  });
}

TEST_CASE("concurrent requests do not exceed the burst") {
  with_each_limits([](RateLimitStore& store) -> Task<> {
    const auto take_often = [&]() -> Task<int> {
      int allowed = 0;
      for (int i = 0; i != 20; ++i) {
        const RateLimitVerdict verdict = co_await store.take("many:a", {.per_second = 0.001, .burst = 30});
        allowed += verdict.decision == RateLimitDecision::allowed ? 1 : 0;
      }
      co_return allowed;
    };
    const auto [a, b, c] = co_await all(take_often, take_often, take_often);
    CHECK(a + b + c == 30);
  });
}

TEST_CASE("two processes share the limit in Redis, and the keys expire and hide the client") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const redis::Pool redis = private_redis();
    const auto first = limits_in(redis, {.prefix = "shared:", .timeout = 60s});
    const auto second = limits_in(private_redis(), {.prefix = "shared:", .timeout = 60s});
    for (int i = 0; i != 3; ++i) {
      const RateLimitVerdict verdict = co_await (i % 2 == 0 ? first : second)->take("api:secret", kSlow);
      CHECK(verdict.remaining == static_cast<std::uint32_t>(2 - i));
    }
    const RateLimitVerdict refused = co_await second->take("api:secret", kSlow);
    CHECK(refused.decision == RateLimitDecision::refused);
    const redis::Reply keys = co_await redis.command("KEYS", "shared:*");
    REQUIRE(keys.elements.size() == 1);
    const std::string key = keys.elements.front().text;
    CHECK(key.starts_with("shared:{api:"));
    CHECK(key.ends_with("}"));
    CHECK(key.find("secret") == std::string::npos);
    const auto ttl = co_await redis.ttl(key);
    REQUIRE(ttl.has_value());
    CHECK(*ttl <= 3000s);
    CHECK(*ttl > 2000s);
  });
}

TEST_CASE("without Redis a store decides as its options say, and asks again after a pause") {
  const struct {
    std::string_view why;
    OnRedisFailure on_failure;
    std::uint32_t replicas;
    RateLimitDecision third, fourth;
  } cases[] = {
      {"counts in memory", OnRedisFailure::count_locally, 1, RateLimitDecision::allowed, RateLimitDecision::refused},
      {"counts a third of the limit", OnRedisFailure::count_locally, 3, RateLimitDecision::refused,
       RateLimitDecision::refused},
      {"allows all", OnRedisFailure::allow, 1, RateLimitDecision::allowed, RateLimitDecision::allowed},
      {"refuses all", OnRedisFailure::refuse, 1, RateLimitDecision::unavailable, RateLimitDecision::unavailable},
  };
  for (const auto& [why, on_failure, replicas, third, fourth] : cases) {
    CAPTURE(why);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const auto store = limits_in(absent_redis(), {.on_failure = on_failure, .replicas = replicas, .retry_after = 1h});
      CHECK(test::ReportedMetrics(*store).at("volt_rate_limit_store_available") == 1);
      RateLimitVerdict verdict;
      for (int i = 0; i != 3; ++i) verdict = co_await store->take("api:a", kSlow);
      CHECK(verdict.decision == third);
      verdict = co_await store->take("api:a", kSlow);
      CHECK(verdict.decision == fourth);
      CHECK(test::ReportedMetrics(*store).at("volt_rate_limit_store_available") == 0);
      CHECK(test::ReportedMetrics(*store).at("volt_rate_limit_store_fallbacks_total") == 4);
    });
  }
}

TEST_CASE("a store that failed returns to Redis when it answers again, even after an error of the server") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const redis::Pool redis = private_redis();
    const auto store = limits_in(redis, {.prefix = "wrong:", .timeout = 60s, .retry_after = 1ms});
    static_cast<void>(co_await store->take("api:a", kSlow));
    const redis::Reply keys = co_await redis.command("KEYS", "wrong:*");
    REQUIRE(keys.elements.size() == 1);
    const std::string key = keys.elements.front().text;
    co_await redis.del(key);
    co_await redis.hset(key, "not", "a number");  // WRONGTYPE
    static_cast<void>(co_await store->take("api:a", kSlow));
    CHECK(test::ReportedMetrics(*store).at("volt_rate_limit_store_available") == 0);
    co_await redis.del(key);
    RateLimitVerdict verdict;
    for (int i = 0; i != 1000 && test::ReportedMetrics(*store).at("volt_rate_limit_store_available") == 0; ++i) {
      co_await sleep_for(1ms);
      verdict = co_await store->take("api:a", kSlow);
    }
    CHECK(test::ReportedMetrics(*store).at("volt_rate_limit_store_available") == 1);
    CHECK(verdict.remaining == 2);  // of Redis: the local count has fewer
  });
}

TEST_CASE("invalid options are refused") {
  CHECK_THROWS_AS(limits_in(absent_redis(), {.replicas = 0}), std::invalid_argument);
  CHECK_THROWS_AS(limits_in(absent_redis(), {.timeout = 0ms}), std::invalid_argument);
  CHECK_THROWS_AS(limits_in(absent_redis(), {.retry_after = 0ms}), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::stores
