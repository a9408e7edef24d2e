// SPDX-License-Identifier: MIT

#include "http/server/internal/request_context_pool.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using Contexts = std::vector<std::unique_ptr<RequestContext>>;

std::unique_ptr<RequestContext> make_context() { return std::make_unique<RequestContext>(http1::Limits{}); }

// Takes `count` contexts, which the pool must have or which are created, and puts them back.
void use(RequestContextPool& pool, std::size_t count, std::chrono::nanoseconds now) {
  Contexts contexts(count);
  for (auto& context : contexts) {
    context = pool.take();
    if (!context) context = make_context();
  }
  for (auto& context : contexts) pool.put(std::move(context), now);
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/request_context_pool");

TEST_CASE("a pool gives out the context that was returned last, and null if it is empty") {
  RequestContextPool pool;
  CHECK(pool.take() == nullptr);
  auto first = make_context(), second = make_context();
  const RequestContext* last = second.get();
  pool.put(std::move(first), 0ns);
  pool.put(std::move(second), 0ns);
  CHECK(pool.take().get() == last);
  CHECK(pool.size() == 1);
}

TEST_CASE("a pool is bounded by a number of contexts") {
  RequestContextPool pool;
  use(pool, RequestContextPool::kContextsMax + 10, 1ns);
  CHECK(pool.size() == RequestContextPool::kContextsMax);
  CHECK(pool.bytes() <= RequestContextPool::kBytesMax);
}

TEST_CASE("a pool is bounded by the memory of the contexts, which is that of their strings, too") {
  RequestContextPool pool;
  Contexts contexts(100);
  for (auto& context : contexts) {
    context = make_context();
    context->out().assign(60'000, 'x');
  }
  const std::size_t bytes_of_one = contexts.front()->kept_bytes();
  CHECK(bytes_of_one > 60'000);
  for (auto& context : contexts) pool.put(std::move(context), 1ns);
  CHECK(pool.size() == RequestContextPool::kBytesMax / bytes_of_one);
  CHECK(pool.bytes() == pool.size() * bytes_of_one);
  while (pool.size() != 0) static_cast<void>(pool.take());
  CHECK(pool.bytes() == 0);
}

TEST_CASE("a pool does not keep a context that has grown large") {
  RequestContextPool pool;
  auto grown = make_context();
  for (int i = 0; i != 40; ++i) {
    const auto room = grown->room();
    const std::size_t count = std::min<std::size_t>(room.size(), 8 * 1024);
    std::fill_n(room.begin(), count, std::byte{'x'});
    grown->add_received(count);
  }
  pool.put(std::move(grown), 0ns);
  CHECK(pool.size() == 0);
}

TEST_CASE("a context in a pool keeps no large string") {
  RequestContextPool pool;
  auto context = make_context();
  context->out().assign(1'000'000, 'x');
  pool.put(std::move(context), 0ns);
  CHECK(pool.size() == 1);
  CHECK(pool.bytes() < 100'000);
}

TEST_CASE("contexts that were not needed for an interval are freed, the others are kept") {
  RequestContextPool pool;
  std::chrono::nanoseconds now = 1ns;
  for (const std::size_t needed : {50, 20, 5, 7}) {
    for (int i = 0; i != 3; ++i) use(pool, needed, now += RequestContextPool::kSurplusInterval);
    CHECK(pool.size() == needed);
    CHECK(pool.bytes() == needed * make_context()->kept_bytes());
  }
  for (int i = 0; i != 9; ++i) use(pool, 1, now += RequestContextPool::kSurplusInterval / 10);
  CHECK(pool.size() == 7);  // the interval has not ended
}

TEST_CASE("contexts that gather at a worker, because connections bring them there, are freed") {
  RequestContextPool pool;
  std::size_t most = 0;
  for (std::chrono::nanoseconds now = 1ns; now < 600s; now += 500ms) {
    pool.put(make_context(), now);  // it was taken from the pool of another worker
    use(pool, 2, now);
    most = std::max(most, pool.size());
  }
  CHECK(most <= 2 + 2 * RequestContextPool::kSurplusInterval / 500ms);
}

TEST_CASE("clear() frees all contexts") {
  RequestContextPool pool;
  use(pool, 3, 1ns);
  pool.clear();
  CHECK(pool.size() == 0);
  CHECK(pool.bytes() == 0);
  use(pool, 2, 30s);
  CHECK(pool.size() == 2);
}

TEST_SUITE_END();

}  // namespace volt::http::server
