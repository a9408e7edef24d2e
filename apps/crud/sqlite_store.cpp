// SPDX-License-Identifier: MIT

#include "apps/crud/sqlite_store.h"

#include <sqlite/sqlite.h>

#include <utility>
#include <vector>

#include "apps/crud/sql_store.h"

namespace crud {
namespace {

namespace sqlite = volt::sqlite;

struct Sqlite {
  using Pool = sqlite::Pool;
  using Error = sqlite::Error;
  using UniqueViolation = sqlite::UniqueViolation;

  static constexpr const char* kMakeTable =
      "create table if not exists items (id integer primary key autoincrement, name text not null unique, "
      "price integer not null, version integer not null default 1);"
      "create index if not exists items_by_price on items (price, id)";
  static constexpr SelectParts kSelect{
      .condition = "instr(lower(name), lower($1)) > 0 and price <= $2", .after = "$4, $5", .limit = "$3"};
  static constexpr bool kMakesTableAtFirstQuery = false;

  static Task<> make_table(Pool pool) {
    std::vector<volt::migrations::File> files = {{"0001_items.sql", kMakeTable}};
    return sqlite::migrate(std::move(pool), std::move(files));
  }

  static bool is_unstorable(std::string_view) { return false; }
  static bool is_unstorable(const Error&) { return false; }

  static bool is_temporary(const Error& error) {
    return dynamic_cast<const sqlite::Unavailable*>(&error) != nullptr ||
           dynamic_cast<const sqlite::QueryTimeout*>(&error) != nullptr ||
           dynamic_cast<const sqlite::StorageError*>(&error) != nullptr;
  }
};

sqlite::Pool open_pool(const std::string& path) {
  try {
    return sqlite::Pool({.path = path});
  } catch (const sqlite::Error& error) {
    fail<Sqlite>(error);
  }
}

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& path) {
  return std::make_unique<SqlStore<Sqlite>>(open_pool(path));
}

}  // namespace crud
