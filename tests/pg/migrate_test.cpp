// SPDX-License-Identifier: MIT

#include "pg/migrate.h"

#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "tests/pg/database.h"

namespace volt::pg {
namespace {

using namespace test;
using migrations::File;

const std::vector<File> kFiles = {
    {"0001_create_items.sql",
     "create table migrated_item (id bigint generated always as identity primary key, name text); -- the; items\n"
     "create function migrated_twice(n int) returns int language plpgsql as $$ begin return n * 2; end $$;\n"
     "create function migrated_next(n int) returns int language sql as $migration0$ select $1 + 1 $migration0$;\n"
     "insert into migrated_item (name) values ('it''s; $1');\n"},
    {"0002_add_prices.sql", "alter table migrated_item add column price int;\nupdate migrated_item set price = 3;\n"},
};

// Removes what earlier cases have left.
Task<> clean(Pool db) {
  co_await db.execute("drop table if exists volt_migrations, migrated_item, migrated_half");
  co_await db.execute("drop function if exists migrated_twice, migrated_next");
}

Task<std::string> failure_of(Task<> migrating) {
  const auto error = co_await error_of<migrations::Error>(std::move(migrating));
  co_return error ? error->what() : "";
}

Task<> add_both(Pool db) {
  std::vector<File> files = kFiles;
  co_await migrate(db, std::move(files));
}

Task<std::int64_t> number_of_rows(Pool db, std::string table) {
  const std::string text = "select count(*) from " + table;
  const auto count = co_await db.find<std::int64_t>(text);
  co_return count.value();
}

}  // namespace

TEST_SUITE_BEGIN("pg/migrate");

TEST_CASE("the files are executed once, in order, each with several statements") {
  with_pool(patient(), [](Pool db) -> Task<> {
    co_await clean(db);
    co_await add_both(db);
    co_await add_both(db);
    const auto names = co_await db.query<std::string>("select name from volt_migrations order by number");
    CHECK(names == std::vector<std::string>{"0001_create_items.sql", "0002_add_prices.sql"});
    const auto name = co_await db.find<std::string>("select name from migrated_item where price = 3");
    CHECK(name == "it's; $1");
    const auto number = co_await db.find<int>("select migrated_next(migrated_twice(3))");
    CHECK(number == 7);
    std::vector<File> changed = kFiles;
    changed[0].sql += "-- changed\n";
    const std::string failure = co_await failure_of(migrate(db, changed));
    CHECK(failure.starts_with("the migration 0001_create_items.sql was changed after it was executed"));
    co_await clean(db);
  });
}

TEST_CASE("a migration that fails changes nothing, and those before it stay") {
  with_pool(patient(), [](Pool db) -> Task<> {
    co_await clean(db);
    std::vector<File> files = kFiles;
    files.push_back({"0003_wrong.sql", "create table migrated_half (id int);\nselect wrong from migrated_item;\n"});
    const std::string failure = co_await failure_of(migrate(db, files));
    CHECK(failure == "the migration 0003_wrong.sql failed: column \"wrong\" does not exist");
    const auto half = co_await db.find<bool>("select to_regclass('migrated_half') is not null");
    CHECK(half == false);
    const auto applied = co_await number_of_rows(db, "volt_migrations");
    CHECK(applied == 2);
    files.back().sql = "create table migrated_half (id int); commit";
    const std::string ended = co_await failure_of(migrate(db, files));
    CHECK(ended.starts_with("the migration 0003_wrong.sql failed: EXECUTE of transaction commands"));
    co_await clean(db);
  });
}

TEST_CASE("programs that start together execute each file once") {
  with_pool(patient(), [](Pool db) -> Task<> {
    co_await clean(db);
    const Pool other(patient());
    const Pool third(patient());
    co_await all([&] { return add_both(db); }, [&] { return add_both(other); }, [&] { return add_both(third); });
    const auto applied = co_await number_of_rows(db, "volt_migrations");
    CHECK(applied == 2);
    const auto items = co_await number_of_rows(db, "migrated_item");
    CHECK(items == 1);
    co_await clean(db);
  });
}

TEST_CASE("a program that must not migrate starts only on a migrated database") {
  with_pool(patient(), [](Pool db) -> Task<> {
    co_await clean(db);
    const migrations::Options checking{.apply = false};
    const std::string failure = co_await failure_of(migrate(db, kFiles, checking));
    CHECK(failure.starts_with("the migration 0001_create_items.sql has not been executed"));
    const auto table = co_await db.find<bool>("select to_regclass('volt_migrations') is not null");
    CHECK(table == false);
    co_await add_both(db);
    co_await migrate(db, kFiles, checking);
    co_await clean(db);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
