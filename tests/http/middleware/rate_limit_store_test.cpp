// SPDX-License-Identifier: MIT

#include "http/middleware/rate_limit_store.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::InProcessApp;

// A store whose decisions the test makes.
class DecidedLimits final : public RateLimitStore {
 public:
  Task<RateLimitVerdict> take(std::string key, RateLimit limit) override {
    key_taken = std::move(key);
    limit_taken = limit;
    co_return verdict;
  }

  RateLimitVerdict verdict;
  std::string key_taken;
  RateLimit limit_taken;
};

RuntimeOptions manual_clock() {
  RuntimeOptions options = test_options(1);
  options.manual_clock = true;
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/rate_limit_store");

TEST_CASE("limits with one name and one store count together, others for themselves") {
  const auto store = std::make_shared<MemoryRateLimits>();
  const RateLimitOptions two{.per_second = 0.5, .burst = 2};
  App app;
  app.group("/a").use(rate_limit(two, {.name = "shared", .store = store})).get("", [] { return "a"; });
  app.group("/b").use(rate_limit(two, {.name = "shared", .store = store})).get("", [] { return "b"; });
  app.group("/c").use(rate_limit(two, {.name = "own", .store = store})).get("", [] { return "c"; });
  InProcessApp asked(std::move(app), manual_clock());
  CHECK(asked.get("/a").status() == Status::ok);
  CHECK(asked.get("/b").status() == Status::ok);
  const Response refused = asked.get("/a");
  CHECK(refused.status() == Status::too_many_requests);
  CHECK(refused.header("Retry-After") == "2");
  CHECK(refused.header("RateLimit-Policy") == R"("shared";q=2;w=4)");
  CHECK(refused.header("RateLimit") == R"("shared";r=0;t=4)");
  CHECK(asked.get("/c").status() == Status::ok);
  asked.runtime().advance_clock(2s);
  CHECK(asked.get("/b").header("RateLimit") == R"("shared";r=0;t=4)");
  asked.runtime().advance_clock(4s);
  CHECK(asked.get("/b").header("RateLimit") == R"("shared";r=1;t=2)");
}

TEST_CASE("the store is given the name with the key, and its decision becomes the response") {
  const auto store = std::make_shared<DecidedLimits>();
  App app;
  app.use(
      rate_limit({.per_second = 5,
                  .burst = 9,
                  .key = [](const Request& request) { return std::string(request.header("api-key").value_or("")); }},
                 {.name = "v1.api", .store = store, .fields = false}));
  app.get("/", [] { return "well"; });
  InProcessApp asked(std::move(app));
  const Response allowed = asked.get("/", {{"api-key", "k:1"}});
  CHECK(allowed.body() == "well");
  CHECK_FALSE(allowed.header("RateLimit"));
  CHECK(store->key_taken == "v1.api:k:1");
  CHECK(store->limit_taken.per_second == 5);
  CHECK(store->limit_taken.burst == 9);
  store->verdict = {.decision = RateLimitDecision::refused, .retry_after = 1500ms};
  const Response refused = asked.get("/");
  CHECK(refused.status() == Status::too_many_requests);
  CHECK(refused.header("Retry-After") == "2");
  store->verdict.decision = RateLimitDecision::unavailable;
  const Response unavailable = asked.get("/");
  CHECK(unavailable.status() == Status::service_unavailable);
  CHECK(unavailable.header("Retry-After") == "2");
}

TEST_CASE("a shared limit without a valid name, a store or a rate is refused") {
  const auto store = std::make_shared<MemoryRateLimits>();
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a\""), std::string(65, 'a')}) {
    CAPTURE(name);
    CHECK_THROWS_AS(static_cast<void>(rate_limit({}, {.name = name, .store = store})), std::invalid_argument);
  }
  CHECK_THROWS_AS(static_cast<void>(rate_limit({}, {.name = "a", .store = nullptr})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(rate_limit({.burst = 0}, {.name = "a", .store = store})), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
