// SPDX-License-Identifier: MIT

// ConnectionPool when allocations fail: whichever fails, each task gets a lease or an exception, and none waits until
// its time limit. Connections end, and pools are closed, in destructors, which must not throw.
#include "database/connection_pool.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"
#include "tests/support/idle_connection_pool.h"

namespace volt::database {
namespace {

using test::Counted;
using test::FailingAllocation;
using test::IdleConnectionPool;

struct Counts {
  int granted = 0;
  int refused = 0;
  int late = 0;
};

Task<> use(IdleConnectionPool& pool, Counts& counts) {
  try {
    const Lease lease = co_await pool.acquire({});
    ++counts.granted;
    for (int turn = 0; turn != 5; ++turn) co_await yield();
  } catch (const std::bad_alloc&) {  // decided: the test counts it, and the errors below
    ++counts.refused;
  } catch (const std::runtime_error& error) {
    ++(std::string(error.what()) == "no connection was free in time" ? counts.late : counts.refused);
  }
}

Task<> close_soon(IdleConnectionPool& pool) {
  for (int turn = 0; turn != 8; ++turn) co_await yield();
  pool.close();
}

// Three tasks use the one connection of a pool, which is closed while the last of them waits.
Task<> use_and_close(std::shared_ptr<IdleConnectionPool> pool, Counts& counts) {
  const auto one = [&] { return use(*pool, counts); };
  const auto close = [&] { return close_soon(*pool); };
  try {
    co_await all(one, one, one, close);
  } catch (const std::bad_alloc&) {  // decided: all children that were started have ended
  }
  pool->close();
  while (pool->has_connections()) co_await yield();
}

}  // namespace

TEST_SUITE_BEGIN("allocations/connection_pool");

TEST_CASE("if an allocation of a pool fails, its tasks get a lease or an exception, and its connections end") {
  bool met = true;
  for (std::uint64_t number = 1; met; ++number) {
    CAPTURE(number);
    REQUIRE(number < 10'000);
    Runtime runtime(test_options(1));
    const auto pool = std::make_shared<IdleConnectionPool>(
        ConnectionPoolOptions{.waiting_max = 10, .acquire_timeout = std::chrono::seconds(60)});
    Counts counts;
    const auto run = [&] { return use_and_close(pool, counts); };
    {
      const FailingAllocation failing(Counted::other_threads, number);
      try {
        runtime.block_on(run);
      } catch (const std::bad_alloc&) {  // decided: the task itself had no memory
      }
      met = failing.met();
    }
    CHECK(counts.late == 0);
    if (!met) CHECK(counts.granted + counts.refused == 3);
    if (!met) CHECK(counts.granted != 0);
  }
}

TEST_SUITE_END();

}  // namespace volt::database
