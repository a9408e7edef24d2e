// SPDX-License-Identifier: MIT

// The suite that each CacheStore must pass, run with each of them on real servers; and what the store in Redis does
// without its server.
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/middleware/cache.h"
#include "http/server/app.h"
#include "redis/error.h"
#include "redis/options.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "stores/internal/response_codec.h"
#include "stores/redis_cache.h"
#include "tests/support/engine.h"
#include "tests/support/in_process_app.h"
#include "tests/support/reported_metrics.h"

namespace volt::stores {
namespace {

using namespace std::chrono_literals;
using http::CachedResponse;
using http::CacheStore;

std::shared_ptr<RedisCache> cache_in_redis(std::string prefix = "cache") {
  return std::make_shared<RedisCache>(redis::Pool(redis::options_from_environment()),
                                      RedisCacheOptions{.prefix = std::move(prefix), .timeout = 60s});
}

std::shared_ptr<RedisCache> cache_without_server() {
  redis::PoolOptions options;
  options.url = "unix:///nonexistent/redis.sock";
  options.acquire_timeout = 5ms;
  return std::make_shared<RedisCache>(redis::Pool(options), RedisCacheOptions{.retry_after = 1h});
}

// Runs the coroutine `body(store)` with each store.
template <class Body>
void with_each_cache(Body body) {
  const std::pair<const char*, std::function<std::shared_ptr<CacheStore>()>> kinds[] = {
      {"memory", [] { return std::make_shared<http::MemoryCacheStore>(); }},
      {"Redis", [] { return cache_in_redis(); }}};
  for (const auto& [name, make] : kinds) {
    CAPTURE(name);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      const std::shared_ptr<CacheStore> store = make();
      co_await body(*store);
    });
  }
}

CachedResponse response_with(std::string body, std::vector<std::string> tags = {}) {
  CachedResponse response{.status = http::Status::not_found,
                          .content_type = "text/plain",
                          .body = std::move(body),
                          .age = 1s,
                          .fresh_for = 60s,
                          .stale_while_revalidate = 20s,
                          .stale_if_error = 30s,
                          .tags = std::move(tags),
                          .vary = "accept: a\n"};
  response.fields.add("X-A", "1");
  response.fields.add("X-A", "2");
  return response;
}

std::shared_ptr<const CachedResponse> saved(std::string body, std::vector<std::string> tags = {}) {
  return std::make_shared<const CachedResponse>(response_with(std::move(body), std::move(tags)));
}

Task<std::string> body_of(CacheStore& store, std::string key) {
  const CacheStore::Lookup found = co_await store.load(std::move(key));
  co_return found.response != nullptr ? found.response->body : "none";
}

}  // namespace

TEST_SUITE_BEGIN("stores/cache_store");

TEST_CASE("a response is loaded as it was saved, under its key") {
  with_each_cache([](CacheStore& store) -> Task<> {
    const CacheStore::Lookup missed = co_await store.load("same\nkey");
    CHECK(missed.response == nullptr);
    const std::string body("bytes\0\r\n\xff", 9);
    co_await store.save("same\nkey", saved(body, {"t", "/p"}), missed.sequence);
    const CacheStore::Lookup found = co_await store.load("same\nkey");
    REQUIRE(found.response != nullptr);
    CHECK(found.response->status == http::Status::not_found);
    CHECK(found.response->content_type == "text/plain");
    CHECK(found.response->fields.lines() == "X-A: 1\r\nX-A: 2\r\n");
    CHECK(found.response->body == body);
    CHECK(found.response->age == 1s);
    CHECK(found.response->fresh_for == 60s);
    CHECK(found.response->stale_while_revalidate == 20s);
    CHECK(found.response->stale_if_error == 30s);
    CHECK(found.response->keep_for() == 90s);
    CHECK(found.response->tags == std::vector<std::string>{"t", "/p"});
    CHECK(found.response->vary == "accept: a\n");
    CHECK(found.since_save < 30s);
    const std::string other = co_await body_of(store, "same");
    CHECK(other == "none");
  });
}

TEST_CASE("a removal ends all responses with the tag, also those that were being made") {
  with_each_cache([](CacheStore& store) -> Task<> {
    const CacheStore::Lookup before = co_await store.load("a");
    co_await store.save("a", saved("a", {"removal 1", "both"}), before.sequence);
    co_await store.save("b", saved("b", {"removal 2", "both"}), before.sequence);
    co_await store.remove("removal 1");
    const std::string a = co_await body_of(store, "a");
    CHECK(a == "none");
    const std::string b = co_await body_of(store, "b");
    CHECK(b == "b");
    co_await store.save("a", saved("old", {"removal 1"}), before.sequence);  // made from the state before
    const CacheStore::Lookup after = co_await store.load("a");
    CHECK(after.response == nullptr);
    CHECK(after.sequence > before.sequence);
    co_await store.save("a", saved("new", {"removal 1"}), after.sequence);
    const std::string again = co_await body_of(store, "a");
    CHECK(again == "new");
    co_await store.remove("both");
    const std::string still = co_await body_of(store, "a");
    CHECK(still == "new");
    const std::string gone = co_await body_of(store, "b");
    CHECK(gone == "none");
  });
}

TEST_CASE("removals that were forgotten end all responses from before them") {
  with_each_cache([](CacheStore& store) -> Task<> {
    const CacheStore::Lookup before = co_await store.load("f");
    co_await store.save("f", saved("f", {"kept"}), before.sequence);
    co_await store.save("g", saved("g", {"forgotten 0"}), before.sequence);
    for (int i = 0; i != 4096; ++i) co_await store.remove("forgotten " + std::to_string(i));
    const std::string f = co_await body_of(store, "f");
    CHECK(f == "f");
    co_await store.remove("one more");
    const std::string g = co_await body_of(store, "g");
    CHECK(g == "none");
  });
}

TEST_CASE("a response disappears when it is of no more use") {
  with_each_cache([](CacheStore& store) -> Task<> {
    const CacheStore::Lookup before = co_await store.load("short");
    CachedResponse response = response_with("short");
    response.fresh_for = 1s;
    response.stale_while_revalidate = response.stale_if_error = 0s;
    co_await store.save("short", std::make_shared<const CachedResponse>(std::move(response)), before.sequence);
    co_await sleep_for(1010ms);
    const std::string body = co_await body_of(store, "short");
    CHECK(body == "none");
  });
}

TEST_CASE("two processes share responses and removals, and a lost set of removals ends all responses") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const auto first = cache_in_redis("two");
    const auto second = cache_in_redis("two");
    const CacheStore::Lookup before = co_await first->load("a");
    co_await first->save("a", saved("a", {"t"}), before.sequence);
    const std::string shared = co_await body_of(*second, "a");
    CHECK(shared == "a");
    co_await second->remove("t");
    const std::string removed = co_await body_of(*first, "a");
    CHECK(removed == "none");
    const CacheStore::Lookup after = co_await first->load("a");
    co_await first->save("a", saved("again"), after.sequence);
    const redis::Pool redis(redis::options_from_environment());
    co_await redis.del("{two}:removed");
    const std::string lost = co_await body_of(*first, "a");
    CHECK(lost == "none");
  });
}

TEST_CASE("without Redis nothing is found or kept, requests are served, and a removal fails") {
  const auto store = cache_without_server();
  const auto pages = std::make_shared<http::ResponseCache>(http::ResponseCacheOptions{.store = store});
  http::App app;
  app.use(http::cache(pages));
  app.get("/", [] { return http::Response::text("page").header("Cache-Control", "max-age=60"); });
  app.post("/", [] { return http::Status::ok; });
  test::InProcessApp asked(std::move(app));
  CHECK(asked.get("/").body() == "page");
  CHECK_FALSE(asked.get("/").header("Age"));
  CHECK(asked.ask({.method = http::Method::post}).status() == http::Status::ok);  // the change itself succeeded
  CHECK(test::ReportedMetrics(*pages).at("volt_http_cache_store_available") == 0);
  CHECK(test::ReportedMetrics(*pages).at("volt_http_cache_store_fallbacks_total") == 2);
  const auto remove = [&] { return pages->remove("t"); };
  CHECK_THROWS_AS(asked.runtime().block_on(remove), redis::Unavailable);
  CHECK_THROWS_AS(cache_in_redis("a}"), std::invalid_argument);
}

TEST_CASE("a response is decoded only if its bytes are whole") {
  const std::string bytes = encode_response(response_with("body", {"t"}));
  const auto whole = decode_response(bytes);
  REQUIRE(whole.has_value());
  CHECK(whole->body == "body");
  int decoded = 0;
  for (std::size_t size = 0; size != bytes.size(); ++size) {
    decoded += decode_response(std::string_view(bytes).substr(0, size)) ? 1 : 0;
  }
  CHECK(decoded == 0);
  for (const std::string& other : {"1:2" + bytes.substr(3), "99999999999999999999:1" + bytes, bytes + "x"}) {
    CAPTURE(other);
    CHECK_FALSE(decode_response(other).has_value());
  }
}

TEST_SUITE_END();

}  // namespace volt::stores
