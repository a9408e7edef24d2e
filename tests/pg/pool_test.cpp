// SPDX-License-Identifier: MIT

// Tests of connections that many tasks share, and of the limits of a pool.
#include "pg/pool.h"

#include <algorithm>
#include <set>

#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "runtime/scope.h"
#include "tests/pg/database.h"
#include "tests/support/waiting.h"

namespace volt::pg {
namespace {

using namespace test;
using volt::test::stress_rounds;

// A Pool as an argument of a spawned task is a handle to the shared pool.
Task<> ask_often(Pool db, int first, std::uint64_t count, std::shared_ptr<base::Atomic<int>> wrong) {
  for (std::uint64_t i = 0; i != count; ++i) {
    const std::int64_t asked = first * 1'000'000LL + static_cast<std::int64_t>(i);
    const auto answer = co_await db.find<std::int64_t>("select $1", asked);
    if (answer != asked) wrong->fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
  }
}

Task<> hold(Pool db, std::shared_ptr<Notify> begun, std::shared_ptr<Notify> go) {
  const Transaction transaction = co_await db.transaction();
  begun->notify_one();
  co_await go->notified();
}

Task<> note_turn(Pool db, int number, std::shared_ptr<std::vector<int>> order) {
  Transaction transaction = co_await db.transaction();  // one transaction at a time, so `order` has no race
  order->push_back(number);
  co_await transaction.commit();
}

// Repeats the query until it succeeds, because connecting may take longer than the acquire timeout.
Task<Transaction> patiently_begun(Pool& db) {
  for (int round = 0; round != 1000; ++round) {
    try {
      co_return co_await db.transaction();
    } catch (const Unavailable&) {  // retry: the connection may be open by then
    }
  }
  throw std::runtime_error("it does not connect");
}

}  // namespace

TEST_SUITE_BEGIN("pg/pool");

TEST_CASE("a thousand queries of many tasks get their own results on a few connections") {
  with_pool(patient(2), [](Pool& db) -> Task<> {
    auto wrong = std::make_shared<base::Atomic<int>>(0);
    const std::uint64_t each = std::max<std::uint64_t>(5, stress_rounds(20));
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int task = 0; task != 50; ++task) scope.spawn(ask_often, db, task, each, wrong);
      co_return;
    });
    CHECK(wrong->load(base::relaxed) == 0);  // relaxed: the scope's end orders it
    CHECK(db.state().connections <= 2);
    CHECK(db.state().queries == 0);
  });
}

TEST_CASE("many tasks share a single place without a lost wake-up") {
  PoolOptions options = patient(1);
  options.pipeline_max = 1;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    auto wrong = std::make_shared<base::Atomic<int>>(0);
    const std::uint64_t each = std::max<std::uint64_t>(15, stress_rounds(400));
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int task = 0; task != 3; ++task) scope.spawn(ask_often, db, task, each, wrong);
      co_return;
    });
    CHECK(wrong->load(base::relaxed) == 0);  // relaxed: the scope's end orders it
    CHECK(db.state().connections == 1);
  });
}

TEST_CASE("connections that are constantly closed as idle do not fail a query") {
  PoolOptions options = patient(2);
  options.idle_timeout = 1ms;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    for (std::uint64_t round = 0; round != std::max<std::uint64_t>(15, stress_rounds(60)); ++round) {
      const auto answer = co_await db.find<int>("select 7");
      CHECK(answer == 7);
      co_await sleep_for(1ms);
    }
  });
}

TEST_CASE("the queries of a batch complete in order and fail independently") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table counted (id int primary key)");
    Batch batch;
    for (int i = 0; i != 500; ++i) batch.add("insert into counted values ($1) returning id", i);
    const std::vector<Rows> rows = co_await db.send(std::move(batch));
    REQUIRE(rows.size() == 500);
    for (int i = 0; i != 500; ++i) CHECK(rows[static_cast<std::size_t>(i)].to<int>(0) == i);

    Batch failing;
    for (const int id : {1000, 7, 1001}) failing.add("insert into counted values ($1)", id);
    co_await error_of<UniqueViolation>(db.send(std::move(failing)));
    const auto count = co_await db.find<std::int64_t>("select count(*) from counted where id >= 1000");
    CHECK(count == 2);
    Batch none;
    const std::vector<Rows> nothing = co_await db.send(std::move(none));
    CHECK(nothing.empty());
  });
}

TEST_CASE("a batch that fills both directions does not deadlock") {
  PoolOptions options = patient(1);
  options.pipeline_max = 64;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const std::string megabyte(1 << 20, 'x');
    Batch batch;
    for (int i = 0; i != 40; ++i) batch.add("select $1::text || $2", megabyte, std::to_string(i));
    const std::vector<Rows> rows = co_await db.send(std::move(batch));
    REQUIRE(rows.size() == 40);
    for (int i = 0; i != 40; ++i) {
      const std::string text = rows[static_cast<std::size_t>(i)].to<std::string>(0);
      CHECK(text.size() == megabyte.size() + std::to_string(i).size());
      CHECK(text.ends_with("x" + std::to_string(i)));
    }
  });
}

TEST_CASE("a large result is complete") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    struct Row {
      int number;
      std::string text;
    };
    const int count = volt::test::kSanitized ? 50'000 : 300'000;
    for (int round = 0; round != 2; ++round) {
      const std::vector<Row> rows =
          co_await db.query<Row>("select i, repeat('x', 100) from generate_series(1, $1) as t(i)", count);
      REQUIRE(rows.size() == static_cast<std::size_t>(count));
      const bool whole = std::ranges::all_of(
          rows, [&](const Row& row) { return row.number == &row - rows.data() + 1 && row.text.size() == 100; });
      CHECK(whole);
    }
  });
}

TEST_CASE("a connection that has carried a very large row or query is replaced when no task uses it") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const std::string large(9 << 20, 'x');
    const int size = static_cast<int>(large.size());
    for (const bool in_row : {true, false}) {
      const int before = co_await backend(db);
      if (in_row) {
        const auto row = co_await db.find<std::string>("select repeat('x', $1)", size);
        CHECK(row.value().size() == large.size());
      } else {
        const auto length = co_await db.find<int>("select length($1::text)", large);
        CHECK(length == size);
      }
      int after = before;
      for (int round = 0; round != 3000 && after == before; ++round) {
        co_await sleep_for(10ms);
        after = co_await backend(db);
      }
      CHECK_MESSAGE(after != before, in_row);
    }
  });
}

TEST_CASE("queries work over TCP and over TLS") {
  for (const char* variable : {"TEST_DATABASE_TCP_URL", "TEST_DATABASE_TLS_URL"}) {
    CAPTURE(variable);
    PoolOptions options = patient(1);
    const char* address = std::getenv(variable);
    REQUIRE(address != nullptr);
    options.url = address;
    with_pool(std::move(options), [](Pool& db) -> Task<> {
      const auto client = co_await db.find<std::string>("select inet_client_addr()");
      CHECK(client.value() == "127.0.0.1");
      // These sizes cover all alignments of TLS records and libpq's buffer.
      for (int size = 1; size < 60'000; size += 997) {
        const auto text = co_await db.find<std::string>("select repeat('x', $1)", size);
        CHECK(text.value().size() == static_cast<std::size_t>(size));
      }
      Batch batch;
      for (int i = 0; i != 20; ++i) batch.add("select $1::text", std::string(300'000, 'x'));
      const std::vector<Rows> rows = co_await db.send(std::move(batch));
      const bool whole =
          std::ranges::all_of(rows, [](const Rows& one) { return one.to<std::string>(0).size() == 300'000; });
      CHECK(whole);
    });
  }
}

TEST_CASE("the server reports an encrypted connection") {
  PoolOptions options = patient(1);
  const char* address = std::getenv("TEST_DATABASE_TLS_URL");
  REQUIRE(address != nullptr);
  options.url = address;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const auto encrypted = co_await db.find<bool>("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    CHECK(encrypted == true);
  });
}

TEST_CASE("a statement is prepared once per connection, up to statements_max") {
  PoolOptions options = patient(1);
  options.statements_max = 2;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    for (int round = 0; round != 3; ++round) {
      const auto one = co_await db.find<int>("select $1 + 1", 1);
      const auto count = co_await db.find<std::int64_t>("select count(*) from pg_prepared_statements");
      const auto beyond = co_await db.find<int>("select $1 + 2", 1);
      CHECK(one == 2);
      CHECK(count == 2);
      CHECK(beyond == 3);
    }
  });
}

TEST_CASE("a query times out if all connections are held") {
  PoolOptions options = patient(1);
  options.acquire_timeout = 50ms;
  options.waiting_max = 1;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    Transaction transaction = co_await patiently_begun(db);
    const auto error = co_await error_of<Unavailable>(db.execute("select 1"));
    CHECK(std::string(error.value().what()) == "no connection was free in time");
    CHECK(db.state().held == 1);
    co_await transaction.commit();
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
  });
}

TEST_CASE("a wait that took too long makes room in the queue") {
  PoolOptions options = patient(1);
  options.acquire_timeout = 20ms;
  options.waiting_max = 1;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    Transaction transaction = co_await patiently_begun(db);
    for (int i = 0; i != 3; ++i) {
      const auto error = co_await error_of<Unavailable>(db.execute("select 1"));
      CHECK(std::string(error.value().what()) == "no connection was free in time");
    }
    co_await transaction.commit();
  });
}

TEST_CASE("a query is rejected immediately if too many tasks wait") {
  PoolOptions options = patient(1);
  options.waiting_max = 1;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    auto begun = std::make_shared<Notify>();
    auto go = std::make_shared<Notify>();
    co_await with_scope([&](Scope& scope) -> Task<> {
      scope.spawn(hold, db, begun, go);
      co_await begun->notified();
      scope.spawn(hold, db, begun, go);
      while (db.state().waiting != 1) co_await sleep_for(1ms);
      co_await error_of<Unavailable>(db.execute("select 1"));
      go->notify_one();
      co_await begun->notified();
      go->notify_one();
    });
  });
}

TEST_CASE("waiting tasks get connections in first-in, first-out order") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    auto order = std::make_shared<std::vector<int>>();
    co_await with_scope([&](Scope& scope) -> Task<> {
      auto begun = std::make_shared<Notify>();
      auto go = std::make_shared<Notify>();
      scope.spawn(hold, db, begun, go);
      co_await begun->notified();
      for (int number = 0; number != 20; ++number) {
        scope.spawn(note_turn, db, number, order);
        while (db.state().waiting != static_cast<std::size_t>(number) + 1) co_await sleep_for(1ms);
      }
      go->notify_one();
    });
    CHECK(order->size() == 20);
    CHECK(std::ranges::is_sorted(*order));
  });
}

TEST_CASE("a canceled waiter is skipped") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    {
      Transaction transaction = co_await db.transaction();
      const auto impatient = [&] { return db.execute("select 1"); };
      const Result<std::uint64_t> cut = co_await within(20ms, impatient);
      CHECK(!cut);
      co_await transaction.commit();
    }
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
    CHECK(db.state().waiting == 0);
  });
}

TEST_CASE("more connections are opened under load, up to connections_max") {
  with_pool(patient(3), [](Pool& db) -> Task<> {
    std::set<int> backends;
    for (int round = 0; round != 600 && backends.size() != 3; ++round) {
      const auto one = [&] { return db.find<int>("select pg_backend_pid() from pg_sleep(0.05)"); };
      const auto [a, b, c, d] = co_await all(one, one, one, one);
      for (const auto& pid : {a, b, c, d}) backends.insert(pid.value());
    }
    CHECK(backends.size() == 3);
    CHECK(db.state().connections == 3);
  });
}

TEST_CASE("an unused connection is closed after idle_timeout and reopened on demand") {
  PoolOptions options = patient(1);
  options.idle_timeout = 50ms;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const int first = co_await backend(db);
    for (int round = 0; round != 1000 && db.state().connections != 0; ++round) co_await sleep_for(10ms);
    CHECK(db.state().connections == 0);
    const int second = co_await backend(db);
    CHECK(first != second);
  });
}

TEST_CASE("destroying the pool closes its connections") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    {
      PoolOptions options = patient(2);
      options.url += "&application_name=shortlived";
      const Pool other(options);
      const auto count = co_await other.find<std::int64_t>(
          "select count(*) from pg_stat_activity where application_name = 'shortlived'");
      CHECK(count >= 1);
    }
    const bool closed =
        co_await count_becomes(db, "select count(*) from pg_stat_activity where application_name = 'shortlived'", 0);
    CHECK(closed);
  });
}

TEST_CASE("a runtime that stops ends the queries under way") {
  Runtime runtime(test_options());
  const Pool db(patient(2));
  auto handle = runtime.spawn([](Pool pool) -> Task<> { co_await pool.execute("select pg_sleep(600)"); }, db);
  CHECK(volt::test::eventually([&] { return db.state().queries == 1; }, 60s));
}

TEST_CASE("limits of 0 are rejected") {
  PoolOptions none = patient(0);
  CHECK_THROWS_AS(Pool{none}, std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::pg
