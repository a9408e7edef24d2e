// SPDX-License-Identifier: MIT

#include "apps/crud/sqlite_store.h"

#include <sqlite/sqlite.h>

#include <string_view>
#include <utility>
#include <vector>

#include "apps/crud/select_sql.h"

namespace crud {
namespace {

namespace sqlite = volt::sqlite;

constexpr const char* kMakeTable =
    "create table if not exists items (id integer primary key autoincrement, name text not null unique, "
    "price integer not null, version integer not null default 1);"
    "create index if not exists items_by_price on items (price, id)";

// In these statements, a null version matches any version.
constexpr SelectParts kSelect{
    .condition = "instr(lower(name), lower($1)) > 0 and price <= $2", .after = "$4, $5", .limit = "$3"};
constexpr std::string_view kFind = "select id, name, price, version from items where id = $1";
constexpr std::string_view kInsert =
    "insert into items (name, price) values ($1, $2) returning id, name, price, version";
constexpr std::string_view kReplace =
    "update items set name = $1, price = $2, version = version + 1 "
    "where id = $3 and version = coalesce($4, version) returning id, name, price, version";
constexpr std::string_view kErase = "delete from items where id = $1 and version = coalesce($2, version)";

// Throws StoreUnavailable if the query may succeed later. Otherwise rethrows the error, which is logged and becomes a
// 500: for example, a missing table does not appear if the client tries again later. Must be called in the catch clause
// that caught `error`.
[[noreturn]] void fail(const sqlite::Error& error) {
  const bool is_temporary = dynamic_cast<const sqlite::Unavailable*>(&error) != nullptr ||
                            dynamic_cast<const sqlite::QueryTimeout*>(&error) != nullptr ||
                            dynamic_cast<const sqlite::StorageError*>(&error) != nullptr;
  if (!is_temporary) throw;
  throw StoreUnavailable(error.what());
}

sqlite::Pool open_pool(const std::string& path) {
  try {
    return sqlite::Pool({.path = path});
  } catch (const sqlite::Error& error) {
    fail(error);
  }
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(const std::string& path) : pool_(open_pool(path)) {}

  Task<> make_table() override {
    std::vector<volt::migrations::File> files = {{"0001_items.sql", kMakeTable}};
    return sqlite::migrate(pool_, std::move(files));
  }

  Task<std::vector<Item>> select(Selection selection) override {
    try {
      const std::string sql = select_sql(selection, kSelect);
      co_return co_await ask(sql, selection);
    } catch (const sqlite::Error& error) {
      fail(error);
    }
  }

  Task<std::optional<Item>> find(std::int64_t id) override {
    try {
      co_return co_await pool_.find<Item>(kFind, id);
    } catch (const sqlite::Error& error) {
      fail(error);
    }
  }

  Task<std::expected<Item, Refusal>> insert(NewItem item) override {
    try {
      auto made = co_await pool_.find<Item>(kInsert, *item.name, *item.price);
      co_return *std::move(made);  // `returning` always returns the inserted row
    } catch (const sqlite::UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const sqlite::Error& error) {
      fail(error);
    }
  }

  Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                             NewItem item) override {
    try {
      auto changed = co_await pool_.find<Item>(kReplace, *item.name, *item.price, id, version);
      if (changed) co_return *std::move(changed);
    } catch (const sqlite::UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const sqlite::Error& error) {
      fail(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) override {
    try {
      const std::uint64_t erased = co_await pool_.execute(kErase, id, version);
      if (erased != 0) co_return std::expected<void, Refusal>();
    } catch (const sqlite::Error& error) {
      fail(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  void report_metrics(volt::MetricSink& sink) const override { pool_.report_metrics(sink); }

 private:
  Task<std::vector<Item>> ask(std::string_view sql, const Selection& wanted) {
    if (!wanted.after) return pool_.query<Item>(sql, wanted.name, wanted.price_max, wanted.limit);
    const Item& last = *wanted.after;
    switch (wanted.sort) {
      case Sort::id:
        return pool_.query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.id, last.id);
      case Sort::name:
        return pool_.query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.name, last.id);
      case Sort::price:
        return pool_.query<Item>(sql, wanted.name, wanted.price_max, wanted.limit, last.price, last.id);
    }
    std::unreachable();
  }

  // Returns why a change did not apply. Looks at the current state: the item may have been deleted since.
  Task<Refusal> why_not(std::int64_t id) {
    const auto item = co_await find(id);
    co_return item ? Refusal::stale : Refusal::missing;
  }

  const sqlite::Pool pool_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& path) { return std::make_unique<SqliteStore>(path); }

}  // namespace crud
