// SPDX-License-Identifier: MIT

#include "database/connection_pool.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>

#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "tests/support/engine.h"
#include "tests/support/idle_connection_pool.h"

namespace volt::database {
namespace {

using test::IdleConnectionPool;

constexpr Demand kExclusive{.exclusive = true};

Task<Lease> lease_of(std::shared_ptr<IdleConnectionPool> pool, Demand demand) { return pool->acquire(demand); }

// Runs the coroutine `body(pool)` with a pool of one connection.
template <class Body>
void with_idle_pool(Body body, unsigned workers = 1) {
  Runtime runtime(test_options(workers));
  const auto pool = std::make_shared<IdleConnectionPool>(ConnectionPoolOptions{
      .leases_max = 10, .busy_leases = 10, .waiting_max = 10, .acquire_timeout = std::chrono::seconds(60)});
  runtime.block_on([&]() -> Task<> {
    co_await body(pool);
    pool->close();
    while (pool->has_connections()) co_await yield();
  });
}

Task<> run_other_tasks() {
  for (int turn = 0; turn != 20; ++turn) co_await yield();
}

}  // namespace

TEST_SUITE_BEGIN("database/connection_pool");

TEST_CASE("a transaction may begin behind a query in progress, but not before a query that was not sent yet") {
  with_idle_pool([](std::shared_ptr<IdleConnectionPool> pool) -> Task<> {
    std::optional<Lease> query = co_await pool->acquire({});
    JoinHandle<Lease> transaction = spawn(lease_of, pool, kExclusive);
    co_await run_other_tasks();
    CHECK(pool->snapshot().waiting == 1);
    query.reset();  // without sending
    {
      const Lease began = co_await std::move(transaction);
      CHECK(pool->snapshot().exclusive == 1);
    }
    Lease sent = co_await pool->acquire({});
    sent.set_sent();
    const Lease behind = co_await pool->acquire(kExclusive);
    CHECK(pool->snapshot().exclusive == 1);
  });
}

TEST_CASE("a transaction that waits for a query to be sent begins then, not when the query ends") {
  with_idle_pool([](std::shared_ptr<IdleConnectionPool> pool) -> Task<> {
    Lease first = co_await pool->acquire({});
    Lease second = co_await pool->acquire({});
    JoinHandle<Lease> transaction = spawn(lease_of, pool, kExclusive);
    co_await run_other_tasks();
    CHECK(pool->snapshot().waiting == 1);
    first.set_sent();
    CHECK(pool->snapshot().waiting == 1);  // until `second` is sent
    second.set_sent();
    CHECK(pool->snapshot().exclusive == 1);
    const Lease began = co_await std::move(transaction);
  });
}

TEST_CASE("a transaction begins, whether it asks for the connection before or after the query on it was sent") {
  const auto body = [](std::shared_ptr<IdleConnectionPool> pool) -> Task<> {
    for (int round = 0; round != 5000; ++round) {
      Lease query = co_await pool->acquire({});
      JoinHandle<Lease> transaction = spawn(lease_of, pool, kExclusive);  // on the other worker, if that is quick
      query.set_sent();
      const Lease began = co_await std::move(transaction);  // throws if it is forgotten
    }
  };
  with_idle_pool(body, 2);
}

TEST_CASE("a query waits until the transaction on its connection has ended") {
  with_idle_pool([](std::shared_ptr<IdleConnectionPool> pool) -> Task<> {
    std::optional<Lease> transaction = co_await pool->acquire(kExclusive);
    JoinHandle<Lease> query = spawn(lease_of, pool, Demand{});
    co_await run_other_tasks();
    CHECK(pool->snapshot().waiting == 1);
    transaction.reset();
    const Lease lease = co_await std::move(query);
    CHECK(pool->snapshot().shared == 1);
  });
}

TEST_SUITE_END();

}  // namespace volt::database
