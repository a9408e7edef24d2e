// SPDX-License-Identifier: MIT

#include "runtime/cache.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/single_flight.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/reported_metrics.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using Lengths = Cache<std::string, int>;

// Makes values in a second each; their number is counted.
struct LengthSource {
  explicit LengthSource(CacheOptions options = {}) : cache(std::move(options)) {}

  Task<int> make(std::string key) {
    ++made;
    co_await sleep_for(1s);
    if (fails) throw std::runtime_error("no length");
    co_return static_cast<int>(key.size()) + 100 * made;
  }
  static Task<int> get(Borrowed<LengthSource> self, std::string key) {
    const auto length = co_await self->cache.get(key, [&] { return self->make(key); });
    co_return *length;
  }

  Lengths cache;
  int made = 0;
  bool fails = false;
};

struct CacheOnClock {
  explicit CacheOnClock(CacheOptions options = {}) : source(std::move(options)) {}

  JoinHandle<int> start(std::string key) {
    JoinHandle<int> getting = manual.runtime.spawn(LengthSource::get, borrow(source), std::move(key));
    manual.settle();
    return getting;
  }
  int get(std::string key) {
    JoinHandle<int> getting = start(std::move(key));
    if (!getting.done()) manual.runtime.advance_clock(1s);
    return manual.result_of(std::move(getting));
  }

  LengthSource source;  // before the runtime, whose tasks use it
  test::ManualClockRuntime manual;
};

}  // namespace

TEST_SUITE_BEGIN("runtime/cache");

TEST_CASE("a value is made once, and again when it is too old or was erased") {
  CacheOnClock on({.keep = 10s});
  CHECK(on.get("ab") == 102);
  CHECK(on.get("ab") == 102);
  CHECK(on.get("abc") == 203);
  on.manual.runtime.advance_clock(9s);
  CHECK(on.get("ab") == 302);  // 10 s after it was made
  on.source.cache.erase("ab");
  CHECK(on.get("ab") == 402);
  CHECK(on.get("abc") == 503);
  const CacheState state = on.source.cache.state();
  CHECK(state.entries == 2);
  CHECK(state.hits == 1);
  CHECK(state.misses == 5);
  CHECK(state.evictions == 0);
}

TEST_CASE("tasks that need one value share its making, each gets it, and put() replaces it") {
  CacheOnClock on;
  std::vector<JoinHandle<int>> getting;
  for (int i = 0; i != 4; ++i) getting.push_back(on.start("a"));
  CHECK(on.source.made == 1);
  on.manual.runtime.advance_clock(1s);
  for (JoinHandle<int>& one : getting) CHECK(on.manual.result_of(std::move(one)) == 101);
  CHECK(test::ReportedMetrics(on.source.cache).at("volt_cache_lookups_total shared") == 3);
  const auto put = [](Borrowed<LengthSource> source) -> Task<int> {
    source->cache.put("a", 7);
    co_return 0;
  };
  static_cast<void>(on.manual.result_of(on.manual.runtime.spawn(put, borrow(on.source))));
  CHECK(on.get("a") == 7);
}

TEST_CASE("a task that fails gets the exception alone, and the next one makes the value") {
  CacheOnClock on;
  on.source.fails = true;
  JoinHandle<int> first = on.start("a");
  JoinHandle<int> second = on.start("a");
  on.manual.runtime.advance_clock(1s);
  REQUIRE(first.done());
  CHECK_THROWS_AS(static_cast<void>(first.task().take()), std::runtime_error);
  CHECK(on.source.made == 2);
  on.source.fails = false;
  second.cancel();
  JoinHandle<int> third = on.start("a");
  CHECK(on.source.made == 3);
  on.manual.runtime.advance_clock(1s);
  CHECK(on.manual.result_of(std::move(third)) == 301);
}

TEST_CASE("a value that was erased while it was made is not kept, nor given to later tasks") {
  CacheOnClock on;
  JoinHandle<int> first = on.start("a");
  on.source.cache.erase("a");
  JoinHandle<int> second = on.start("a");
  CHECK(on.source.made == 2);
  on.manual.runtime.advance_clock(1s);
  static_cast<void>(on.manual.result_of(std::move(first)));
  CHECK(on.manual.result_of(std::move(second)) == 201);
  CHECK(on.get("a") == 201);
}

TEST_CASE("values beyond the bounds evict those unused for longest") {
  CacheOnClock on({.entries_max = 2});
  CHECK(on.get("a") == 101);
  CHECK(on.get("b") == 201);
  CHECK(on.get("a") == 101);
  CHECK(on.get("c") == 301);  // evicts b
  CHECK(on.get("a") == 101);
  CHECK(on.get("b") == 401);
  CHECK(on.source.cache.state().evictions == 2);
  LruMap<int, int> map({.entries_max = 10, .bytes_max = 100});
  CHECK(map.put(1, 1, 60) == 0);
  CHECK(map.put(2, 2, 40) == 0);
  CHECK(map.put(3, 3, 30) == 1);
  CHECK(map.find(1) == nullptr);
  CHECK(map.bytes() == 70);
  CHECK(map.put(2, 4, 101) == 0);  // larger than the bound: removes the earlier value only
  CHECK(map.find(2) == nullptr);
  CHECK(map.size() == 1);
  CHECK(*map.find(3) == 3);
}

TEST_CASE("a flight has a bound on its tasks and on their wait") {
  test::ManualClockRuntime manual;
  SingleFlight<int, int> flights(1);
  using Joined = Result<SingleFlight<int, int>::Turn>;
  const auto join = [](Borrowed<SingleFlight<int, int>> all, std::chrono::seconds hold) -> Task<int> {
    Joined turn = co_await all->join(1, 2s);
    if (!turn) co_return turn.error() == std::errc::timed_out ? -1 : -2;
    if (turn->value() != nullptr) co_return *turn->value();
    co_await sleep_for(hold);
    turn->settle(5);
    co_return 0;
  };
  const auto start = [&](std::chrono::seconds hold) {
    JoinHandle<int> task = manual.runtime.spawn(join, borrow(flights), hold);
    manual.settle();
    return task;
  };
  JoinHandle<int> leader = start(3s);
  JoinHandle<int> waiting = start(0s);
  CHECK(manual.result_of(start(0s)) == -2);
  CHECK(flights.in_flight(1));
  manual.runtime.advance_clock(2s);
  CHECK(manual.result_of(std::move(waiting)) == -1);
  JoinHandle<int> served = start(0s);
  manual.runtime.advance_clock(1s);
  CHECK(manual.result_of(std::move(leader)) == 0);
  CHECK(manual.result_of(std::move(served)) == 5);
  CHECK_FALSE(flights.in_flight(1));
}

TEST_SUITE_END();

}  // namespace volt
