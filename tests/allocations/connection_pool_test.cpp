// SPDX-License-Identifier: MIT

// ConnectionPool when allocations fail: whichever fails, each task gets a lease or an exception, and none waits until
// its time limit. Connections end, and pools are closed, in destructors, which must not throw.
#include "database/connection_pool.h"

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"

namespace volt::database {
namespace {

using test::Counted;
using test::FailingAllocation;

// A connection to nothing, which stays open until it is closed.
class IdleConnection final : public PooledConnection {
 public:
  Task<> serve(std::function<bool()> /*may_leave*/) override { co_await closed_.notified(); }
  void close() noexcept override { closed_.notify_one(); }
  void end() noexcept override {}

 private:
  Notify closed_;
};

class IdlePool final : public ConnectionPool {
 public:
  IdlePool()
      : ConnectionPool({.waiting_max = 10, .acquire_timeout = std::chrono::seconds(60)},
                       {.module = "test", .label = "server", .lost = "lost", .back = "back"}, "a name of a server") {}

 private:
  Task<Opened> open() override {
    co_await yield();
    co_return Opened{std::make_shared<IdleConnection>(), "a longer name of a server"};
  }
  [[nodiscard]] bool is_final(const std::exception& /*error*/) const noexcept override { return false; }
  [[noreturn]] void fail(const std::string& why) const override { throw std::runtime_error(why); }
};

struct Counts {
  int granted = 0;
  int refused = 0;
  int late = 0;
};

Task<> use(IdlePool& pool, Counts& counts) {
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

Task<> close_soon(IdlePool& pool) {
  for (int turn = 0; turn != 8; ++turn) co_await yield();
  pool.close();
}

// Three tasks use the one connection of a pool, which is closed while the last of them waits.
Task<> use_and_close(std::shared_ptr<IdlePool> pool, Counts& counts) {
  const auto one = [&] { return use(*pool, counts); };
  const auto close = [&] { return close_soon(*pool); };
  try {
    co_await all(one, one, one, close);
  } catch (const std::bad_alloc&) {  // decided: all children that were started have ended
  }
  pool->close();
  ConnectionPoolState state = pool->snapshot();
  while (state.connections + state.connecting != 0) {
    co_await yield();
    state = pool->snapshot();
  }
}

}  // namespace

TEST_SUITE_BEGIN("allocations/connection_pool");

TEST_CASE("if an allocation of a pool fails, its tasks get a lease or an exception, and its connections end") {
  bool met = true;
  for (std::uint64_t number = 1; met; ++number) {
    CAPTURE(number);
    REQUIRE(number < 10'000);
    Runtime runtime(test_options(1));
    const auto pool = std::make_shared<IdlePool>();
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
