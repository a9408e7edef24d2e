// SPDX-License-Identifier: MIT

#include "pg/transaction.h"

#include <optional>

#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/spawn.h"
#include "tests/pg/database.h"
#include "tests/support/engine.h"

namespace volt::pg {
namespace {

using namespace test;

Task<std::int64_t> count_of(Pool& db, std::string text) {
  const auto count = co_await db.find<std::int64_t>(text);
  co_return count.value();
}

}  // namespace

TEST_SUITE_BEGIN("pg/transaction");

TEST_CASE("committed changes are kept, and others are rolled back") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table kept (id int)");
    {
      Transaction transaction = co_await db.transaction();
      co_await transaction.execute("insert into kept values (1)");
      co_await transaction.commit();
      co_await error_of<Error>(transaction.execute("insert into kept values (2)"));
      co_await error_of<Error>(transaction.commit());
    }
    {
      const Transaction transaction = co_await db.transaction();
      const auto inserted = co_await transaction.execute("insert into kept values (3), (4)");
      CHECK(inserted == 2);
    }
    const std::vector<int> ids = co_await db.query<int>("select id from kept");
    CHECK(ids == std::vector<int>{1});
    CHECK(db.state().held == 0);
  });
}

TEST_CASE("an exception rolls the transaction back") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table kept (id int primary key)");
    const auto failing = [](Pool& pool) -> Task<> {
      Transaction transaction = co_await pool.transaction();
      co_await transaction.execute("insert into kept values (1)");
      co_await transaction.execute("insert into kept values (1)");
      co_await transaction.commit();
    };
    const auto error = co_await error_of<UniqueViolation>(failing(db));
    CHECK(error.value().constraint() == "kept_pkey");
    CHECK(error.value().message().table == "kept");
    const std::int64_t count = co_await count_of(db, "select count(*) from kept");
    CHECK(count == 0);
  });
}

TEST_CASE("a connection whose transaction could not be committed serves no other query") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const auto commits = [](Pool& pool, std::string text) -> Task<bool> {
      try {
        Transaction transaction = co_await pool.transaction();
        co_await transaction.execute(text);
        co_await transaction.commit();
      } catch (const ServerError&) {  // decided: a statement that Volt had prepared is gone
        co_return false;
      }
      co_return true;
    };
    const bool committed = co_await commits(db, "select 0");
    REQUIRE(committed);
    co_await db.execute("deallocate all");
    int failures = 0;
    for (const std::string number : {"1", "2", "3"}) {
      const bool again = co_await commits(db, "select " + number);
      if (!again) ++failures;
      const auto answer = co_await db.find<int>("select 10 + " + number);
      CHECK(answer == 10 + std::stoi(number));
    }
    CHECK(failures == 2);  // of "begin", and then of "commit"
  });
}

TEST_CASE("after an error further queries and commit() fail") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    Transaction transaction = co_await db.transaction();
    const auto first = co_await error_of<ServerError>(transaction.execute("select 1 / 0"));
    CHECK(first.value().sqlstate() == "22012");
    const auto second = co_await error_of<ServerError>(transaction.execute("select 1"));
    CHECK(second.value().sqlstate() == "25P02");
    const auto third = co_await error_of<ServerError>(transaction.commit());
    CHECK(third.value().sqlstate() == "25P02");
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
  });
}

TEST_CASE("deferred constraints are checked by commit(), or at the end of a single query") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table late (id int unique deferrable initially deferred)");
    for (int round = 0; round != 3; ++round) {
      co_await error_of<UniqueViolation>(db.execute("insert into late values (1), (1)"));
      Transaction transaction = co_await db.transaction();
      co_await transaction.execute("insert into late values (2), (2)");
      co_await error_of<UniqueViolation>(transaction.commit());
      const std::int64_t count = co_await count_of(db, "select count(*) from late");
      CHECK(count == 0);
    }
  });
}

TEST_CASE("the functions of after_commit() are called once, in their order, and only by a commit that succeeds") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table late (id int unique deferrable initially deferred)");
    std::vector<int> called;
    {
      const Transaction dropped = co_await db.transaction();
      dropped.after_commit([&]() noexcept { called.push_back(1); });
    }
    Transaction failing = co_await db.transaction();
    failing.after_commit([&]() noexcept { called.push_back(2); });
    co_await failing.execute("insert into late values (2), (2)");
    co_await error_of<UniqueViolation>(failing.commit());
    Transaction kept = co_await db.transaction();
    kept.after_commit([&]() noexcept { called.push_back(3); });
    kept.after_commit([&]() noexcept { called.push_back(4); });
    CHECK(called.empty());
    co_await kept.commit();
    CHECK(called == std::vector<int>{3, 4});
    CHECK_THROWS_AS(kept.after_commit([]() noexcept {}), Error);
  });
}

TEST_CASE("a query that waits for a connection beside a transaction does not become part of it") {
  Runtime runtime(test_options(1));  // runs the task first that was woken last
  runtime.block_on([]() -> Task<> {
    Pool db(patient(1));
    co_await db.execute("create temporary table kept (id int)");
    const auto insert = [](Pool pool) -> Task<> { co_await pool.execute("insert into kept values (1)"); };
    const auto drop = [](Pool pool) -> Task<> {
      const Transaction transaction = co_await pool.transaction();
      co_await transaction.execute("insert into kept values (2)");
    };
    std::optional<Transaction> first = co_await db.transaction();
    JoinHandle<void> query = spawn(insert, db);
    while (db.state().waiting != 1) co_await yield();
    JoinHandle<void> dropped = spawn(drop, db);
    while (db.state().waiting != 2) co_await yield();
    first.reset();
    co_await std::move(dropped);
    co_await std::move(query);
    const std::vector<int> ids = co_await db.query<int>("select id from kept");
    CHECK(ids == std::vector<int>{1});
  });
}

TEST_CASE("a transaction begins after a query that is in progress on its connection, and does not wait for its end") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    Pool db(patient(1));
    Pool other(patient(1));
    std::optional<Transaction> lock = co_await other.transaction();
    co_await lock->execute("select pg_advisory_xact_lock(1)");
    const auto wait = [](Pool pool) -> Task<> { co_await pool.execute("select pg_advisory_xact_lock(1)"); };
    const auto begin = [](Pool pool) -> Task<> { const Transaction transaction = co_await pool.transaction(); };
    std::optional<Transaction> first = co_await db.transaction();
    JoinHandle<void> query = spawn(wait, db);
    while (db.state().waiting != 1) co_await yield();
    JoinHandle<void> second = spawn(begin, db);
    while (db.state().waiting != 2) co_await yield();
    first.reset();
    const bool got_the_connection = co_await becomes([&] { return db.state().held == 1 && db.state().waiting == 0; });
    CHECK(got_the_connection);
    lock.reset();  // lets the query end
    co_await std::move(query);
    co_await std::move(second);
  });
}

TEST_CASE("a batch in a transaction is part of the transaction") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table kept (id int)");
    Transaction transaction = co_await db.transaction();
    Batch batch;
    for (int i = 0; i != 10; ++i) batch.add("insert into kept values ($1)", i);
    batch.add("select count(*) from kept");
    const std::vector<Rows> rows = co_await transaction.send(std::move(batch));
    CHECK(rows.back().to<std::int64_t>(0) == 10);
    Batch none;
    const std::vector<Rows> nothing = co_await transaction.send(std::move(none));
    CHECK(nothing.empty());
    {
      const Transaction destroyed = std::move(transaction);
    }
    const std::int64_t count = co_await count_of(db, "select count(*) from kept");
    CHECK(count == 0);
  });
}

TEST_CASE("transaction options are applied by the server") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const TransactionOptions options{.isolation = Isolation::serializable, .read_only = true};
    const Transaction transaction = co_await db.transaction(options);
    const auto isolation = co_await transaction.find<std::string>("show transaction_isolation");
    CHECK(isolation == "serializable");
    const auto error = co_await error_of<ServerError>(transaction.execute("create table refused (id int)"));
    CHECK(error.value().sqlstate() == "25006");
  });
}

TEST_CASE("one of two conflicting transactions fails with SerializationFailure") {
  with_pool(patient(2), [](Pool& db) -> Task<> {
    co_await db.execute("create table if not exists counter (n int)");
    co_await db.execute("delete from counter");
    co_await db.execute("insert into counter values (0)");
    const TransactionOptions repeatable{.isolation = Isolation::repeatable_read};
    Transaction one = co_await db.transaction(repeatable);
    Transaction two = co_await db.transaction(repeatable);
    static_cast<void>(co_await one.find<int>("select n from counter"));
    static_cast<void>(co_await two.find<int>("select n from counter"));
    co_await one.execute("update counter set n = n + 1");
    co_await one.commit();
    co_await error_of<SerializationFailure>(two.execute("update counter set n = n + 1"));
  });
}

TEST_CASE("a canceled transaction is rolled back before its connection is reused") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create table if not exists kept_for_all (id int)");
    co_await db.execute("delete from kept_for_all");
    const auto slow = [&db]() -> Task<> {
      Transaction transaction = co_await db.transaction();
      co_await transaction.execute("insert into kept_for_all values (1)");
      co_await transaction.execute("select pg_sleep(600)");
      co_await transaction.commit();
    };
    const Result<void> cut = co_await within(300ms, slow);
    CHECK(!cut);
    const std::int64_t count = co_await count_of(db, "select count(*) from kept_for_all");
    CHECK(count == 0);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
