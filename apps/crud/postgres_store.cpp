// SPDX-License-Identifier: MIT

#include "apps/crud/postgres_store.h"

#include <pg/pg.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "apps/crud/sql_store.h"

namespace crud {
namespace {

namespace pg = volt::pg;

struct Postgres {
  using Pool = pg::Pool;
  using Error = pg::Error;
  using UniqueViolation = pg::UniqueViolation;

  // Names are compared byte by byte, as in SQLite. If several processes start at once, the advisory lock lets one of
  // them create the table while the others wait.
  static constexpr std::string_view kMakeTable =
      "do $$ begin "
      "perform pg_advisory_xact_lock(hashtext('crud.items')); "
      "create table if not exists items (id bigint generated always as identity primary key, "
      "name text collate \"C\" not null unique, price integer not null, version bigint not null default 1); "
      "create index if not exists items_by_price on items (price, id); "
      "end $$";
  static constexpr SelectParts kSelect{
      .condition = "position(lower($1) in lower(name)) > 0 and price <= $2", .after = "$4, $5", .limit = "$3"};
  // So the server can start before the database does.
  static constexpr bool kMakesTableAtFirstQuery = true;

  static Task<> make_table(Pool pool) { co_await pool.execute(kMakeTable); }

  static bool is_unstorable(std::string_view text) { return text.contains('\0'); }
  static bool is_unstorable(const Error& error) {
    const auto* refused = dynamic_cast<const pg::ServerError*>(&error);
    return refused != nullptr && refused->sqlstate() == "22021";  // a character that PostgreSQL cannot store
  }

  static bool is_temporary(const Error& error) {
    if (const auto* refused = dynamic_cast<const pg::ServerError*>(&error)) return is_temporary(refused->sqlstate());
    return dynamic_cast<const pg::DecodeError*>(&error) == nullptr;
  }
  // The class of the SQLSTATE decides: a conflict, too few resources, a lock, an operator's intervention, an error of
  // the system. A server that became read-only, as after a failover, counts as well.
  static bool is_temporary(std::string_view sqlstate) {
    constexpr std::string_view kClasses[] = {"40", "53", "55", "57", "58"};
    return sqlstate == "25006" || std::ranges::find(kClasses, sqlstate.substr(0, 2)) != std::end(kClasses);
  }
};

}  // namespace

std::unique_ptr<Store> open_postgres(volt::pg::PoolOptions options) {
  return std::make_unique<SqlStore<Postgres>>(pg::Pool(std::move(options)));
}

}  // namespace crud
