// SPDX-License-Identifier: MIT

#include "sqlite/migrate.h"

#include <fstream>
#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "tests/sqlite/database.h"

namespace volt::sqlite {
namespace {

using namespace test;
using migrations::File;

const std::vector<File> kFiles = {
    {"0001_create_items.sql",
     "create table item (id integer primary key, name text); -- the items\n"
     "create trigger no_empty before insert on item begin\n"
     "  select raise(abort, 'empty; not allowed') where new.name = '';\nend;\n"},
    {"0002_add_prices.sql", "alter table item add column price real;\nupdate item set price = 0;\n"},
};

Task<std::string> failure_of(Task<> migrating) {
  const auto error = co_await error_of<migrations::Error>(std::move(migrating));
  co_return error ? error->what() : "";
}

Task<> add_both(Pool db) {
  std::vector<File> files = kFiles;
  co_await migrate(db, std::move(files));
}

}  // namespace

TEST_SUITE_BEGIN("sqlite/migrate");

TEST_CASE("the files of a folder are executed once, in order") {
  const volt::test::Directory folder;
  for (const File& file : kFiles) std::ofstream(folder.path() / file.name) << file.sql;
  std::ofstream(folder.path() / "README.md") << "no migration";
  with_file([&](Pool db, PoolOptions) -> Task<> {
    co_await migrate(db, folder.path());
    co_await migrate(db, folder.path());
    const auto names = co_await db.query<std::string>("select name from volt_migrations order by number");
    CHECK(names == std::vector<std::string>{"0001_create_items.sql", "0002_add_prices.sql"});
    const auto refused = co_await error_of<DatabaseError>(db.execute("insert into item (name) values ('')"));
    CHECK(refused->what() == std::string("empty; not allowed"));
    std::ofstream(folder.path() / "0003_more.sql") << "insert into item (name) values ('pen')";
    co_await migrate(db, folder.path());
    const auto count = co_await count_of(db, "select count(*) from item");
    CHECK(count == 1);
    std::ofstream(folder.path() / "0001_create_items.sql") << "create table other (id integer)";
    const std::string changed = co_await failure_of(migrate(db, folder.path()));
    CHECK(changed ==
          "the migration 0001_create_items.sql was changed after it was executed: restore it, and put the "
          "change into a new file");
    const std::string missing = co_await failure_of(migrate(db, "/nowhere"));
    CHECK(missing == "the folder of migrations /nowhere cannot be read: No such file or directory");
  });
}

TEST_CASE("a migration that fails changes nothing, and those before it stay") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    std::vector<File> files = kFiles;
    files.push_back({"0003_wrong.sql", "create table half (id integer);\nselect wrong from item;\n"});
    const std::string failure = co_await failure_of(migrate(db, files));
    CHECK(failure == "the migration 0003_wrong.sql failed: no such column: wrong");
    const auto half = co_await count_of(db, "select count(*) from sqlite_schema where name = 'half'");
    CHECK(half == 0);
    const auto applied = co_await count_of(db, "select count(*) from volt_migrations");
    CHECK(applied == 2);
    files.back().sql = "create table half (id integer);\ncommit;\ncreate table other (id integer)";
    const std::string ended = co_await failure_of(migrate(db, files));
    CHECK(ended.starts_with("the migration 0003_wrong.sql failed: a statement ended the transaction"));
  });
}

TEST_CASE("programs that start together execute each file once") {
  with_file([](Pool db, PoolOptions options) -> Task<> {
    const Pool other(options);
    const Pool third(options);
    co_await all([&] { return add_both(db); }, [&] { return add_both(other); }, [&] { return add_both(third); });
    const auto applied = co_await count_of(db, "select count(*) from volt_migrations");
    CHECK(applied == 2);
  });
}

TEST_CASE("a program that must not migrate starts only on a migrated database") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    const migrations::Options checking{.apply = false};
    const std::string failure = co_await failure_of(migrate(db, kFiles, checking));
    CHECK(failure ==
          "the migration 0001_create_items.sql has not been executed: migrate the database before this "
          "program starts");
    const auto tables = co_await count_of(db, "select count(*) from sqlite_schema");
    CHECK(tables == 0);
    co_await add_both(db);
    co_await migrate(db, kFiles, checking);
  });
}

TEST_SUITE_END();

}  // namespace volt::sqlite
