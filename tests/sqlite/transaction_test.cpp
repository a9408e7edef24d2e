// SPDX-License-Identifier: MIT

#include "sqlite/transaction.h"

#include <string_view>

#include "runtime/concurrent.h"
#include "tests/sqlite/database.h"

namespace volt::sqlite {
namespace {

using namespace test;
using namespace std::literals;

}  // namespace

TEST_SUITE_BEGIN("sqlite/transaction");

TEST_CASE("readers do not wait for a transaction, and see what was committed") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    Transaction transaction = co_await db.transaction();
    co_await transaction.execute("insert into item values (1, 'pen', 1)");
    const auto before = co_await count_of(db, "select count(*) from item");
    CHECK(before == 0);
    const TransactionOptions reading{.read_only = true};
    const Transaction snapshot = co_await db.transaction(reading);
    const auto first = co_await snapshot.find<int>("select count(*) from item");
    CHECK(first == 0);
    CHECK(db.state().transactions == 2);
    co_await transaction.commit();
    const auto after = co_await count_of(db, "select count(*) from item");
    CHECK(after == 1);
    const auto still = co_await snapshot.find<int>("select count(*) from item");
    CHECK(still == 0);
    const auto refused = co_await error_of<Error>(snapshot.execute("delete from item"));
    CHECK(refused->what() == "the transaction is read-only, but a query in it writes"sv);
  });
}

TEST_CASE("a transaction is rolled back unless it was committed") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    {
      const Transaction transaction = co_await db.transaction();
      co_await transaction.execute("insert into item values (1, 'pen', 1)");
    }
    const auto dropped = co_await count_of(db, "select count(*) from item");
    CHECK(dropped == 0);
    Transaction transaction = co_await db.transaction();
    co_await transaction.execute("insert into item values (1, 'pen', 1)");
    co_await error_of<UniqueViolation>(transaction.execute("insert into item values (1, 'ink', 1)"));
    co_await transaction.execute("insert into item values (2, 'ink', 1)");
    co_await transaction.commit();
    const auto kept = co_await count_of(db, "select count(*) from item");
    CHECK(kept == 2);
    co_await error_of<Error>(transaction.execute("delete from item"));
    co_await error_of<Error>(transaction.commit());
  });
}

TEST_CASE("the rest of a batch is not executed after a query that ended the transaction") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    co_await db.execute("insert into item values (1, 'pen', 1)");
    Transaction transaction = co_await db.transaction();
    Batch batch;
    batch.add("insert or rollback into item values (1, 'ink', 1)");
    batch.add("insert into item values (2, 'cap', 1)");
    co_await error_of<UniqueViolation>(transaction.send(std::move(batch)));
    const auto refused = co_await error_of<Error>(transaction.commit());
    CHECK(refused);
    const auto count = co_await count_of(db, "select count(*) from item");
    CHECK(count == 1);
  });
}

TEST_CASE("a commit that fails rolls back, and frees the connection") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    Transaction transaction = co_await db.transaction();
    co_await transaction.execute("pragma defer_foreign_keys = on");
    co_await transaction.execute("insert into part values (1, 7)");
    co_await error_of<ForeignKeyViolation>(transaction.commit());
    const auto count = co_await db.execute("insert into item values (7, 'pen', 1)");
    CHECK(count == 1);
    const auto parts = co_await count_of(db, "select count(*) from part");
    CHECK(parts == 0);
  });
}

TEST_CASE("the functions of after_commit() are called once, in their order, and only by a commit that succeeds") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    std::vector<int> called;
    {
      const Transaction dropped = co_await db.transaction();
      dropped.after_commit([&]() noexcept { called.push_back(1); });
    }
    Transaction failing = co_await db.transaction();
    failing.after_commit([&]() noexcept { called.push_back(2); });
    co_await failing.execute("pragma defer_foreign_keys = on");
    co_await failing.execute("insert into part values (1, 7)");
    co_await error_of<ForeignKeyViolation>(failing.commit());
    Transaction kept = co_await db.transaction();
    kept.after_commit([&]() noexcept { called.push_back(3); });
    kept.after_commit([&]() noexcept { called.push_back(4); });
    CHECK(called.empty());
    co_await kept.commit();
    CHECK(called == std::vector<int>{3, 4});
    CHECK_THROWS_AS(kept.after_commit([]() noexcept {}), Error);
  });
}

TEST_CASE("a cancelled task interrupts its query and rolls its transaction back") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    const auto endless = [&db]() -> Task<> {
      Transaction transaction = co_await db.transaction();
      co_await transaction.execute("insert into item values (1, 'pen', 1)");
      static_cast<void>(co_await transaction.rows(kEndless));
      co_await transaction.commit();
    };
    const Result<void> cut = co_await within(100ms, endless);
    CHECK(!cut);
    const auto count = co_await db.execute("insert into item values (1, 'ink', 1)");
    CHECK(count == 1);
    const auto reading = [&db]() -> Task<> { static_cast<void>(co_await db.rows(kEndless)); };
    const Result<void> cut_reading = co_await within(100ms, reading);
    CHECK(!cut_reading);
    CHECK(db.state().in_use == 0);
  });
}

TEST_SUITE_END();

}  // namespace volt::sqlite
