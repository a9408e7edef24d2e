// SPDX-License-Identifier: MIT

#include "apps/crud/postgres_store.h"

#include <pg/pg.h>
#include <runtime/once_cell.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "apps/crud/select_sql.h"

namespace crud {
namespace {

namespace pg = volt::pg;

// Names are compared byte by byte, as in SQLite. If several processes start at once, the advisory lock lets one of them
// create the table while the others wait.
constexpr std::string_view kMakeTable =
    "do $$ begin "
    "perform pg_advisory_xact_lock(hashtext('crud.items')); "
    "create table if not exists items (id bigint generated always as identity primary key, "
    "name text collate \"C\" not null unique, price integer not null, version bigint not null default 1); "
    "create index if not exists items_by_price on items (price, id); "
    "end $$";

// In these statements, a null version matches any version.
constexpr SelectParts kSelect{
    .condition = "position(lower($1) in lower(name)) > 0 and price <= $2", .after = "$4, $5", .limit = "$3"};
constexpr std::string_view kFind = "select id, name, price, version from items where id = $1";
constexpr std::string_view kInsert =
    "insert into items (name, price) values ($1, $2) returning id, name, price, version";
constexpr std::string_view kReplace =
    "update items set name = $1, price = $2, version = version + 1 "
    "where id = $3 and version = coalesce($4, version) returning id, name, price, version";
constexpr std::string_view kErase = "delete from items where id = $1 and version = coalesce($2, version)";

constexpr std::string_view kNoText = "22021";  // SQLSTATE of text that PostgreSQL cannot store, so no item contains it

// Returns whether the statement may succeed later without a change of the program or of the schema. The class of the
// SQLSTATE decides: a conflict, too few resources, a lock, an operator's intervention, an error of the system. A server
// that became read-only, as after a failover, counts as well.
bool is_temporary(std::string_view sqlstate) {
  constexpr std::string_view kClasses[] = {"40", "53", "55", "57", "58"};
  return sqlstate == "25006" || std::ranges::find(kClasses, sqlstate.substr(0, 2)) != std::end(kClasses);
}

// Throws StoreUnavailable if the query may succeed later. Otherwise rethrows the error, which is logged and becomes a
// 500: for example, a missing table does not appear if the client tries again later. Must be called in the catch clause
// that caught `error`.
[[noreturn]] void fail(const pg::Error& error) {
  const auto* refused = dynamic_cast<const pg::ServerError*>(&error);
  const bool is_mistake = dynamic_cast<const pg::DecodeError*>(&error) != nullptr;
  if (is_mistake || (refused != nullptr && !is_temporary(refused->sqlstate()))) throw;
  throw StoreUnavailable(error.what());
}

class PostgresStore final : public Store {
 public:
  explicit PostgresStore(pg::PoolOptions options) : pool_(std::move(options)) {}

  // Does nothing: the first query makes the table, so that the server can start before the database does.
  Task<> make_table() override { co_return; }

  Task<std::vector<Item>> select(Selection selection) override {
    if (selection.name.contains('\0')) co_return std::vector<Item>();  // cannot occur in a text
    try {
      co_await prepare();
      const std::string sql = select_sql(selection, kSelect);
      co_return co_await ask(sql, selection);
    } catch (const pg::ServerError& error) {
      if (error.sqlstate() == kNoText) co_return std::vector<Item>();
      fail(error);
    } catch (const pg::Error& error) {
      fail(error);
    }
  }

  Task<std::optional<Item>> find(std::int64_t id) override {
    try {
      co_await prepare();
      co_return co_await pool_.find<Item>(kFind, id);
    } catch (const pg::Error& error) {
      fail(error);
    }
  }

  Task<std::expected<Item, Refusal>> insert(NewItem item) override {
    try {
      co_await prepare();
      auto made = co_await pool_.find<Item>(kInsert, *item.name, *item.price);
      co_return *std::move(made);  // `returning` always returns the inserted row
    } catch (const pg::UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const pg::Error& error) {
      fail(error);
    }
  }

  Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                             NewItem item) override {
    try {
      co_await prepare();
      auto changed = co_await pool_.find<Item>(kReplace, *item.name, *item.price, id, version);
      if (changed) co_return *std::move(changed);
    } catch (const pg::UniqueViolation&) {
      co_return std::unexpected(Refusal::name_taken);
    } catch (const pg::Error& error) {
      fail(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) override {
    try {
      co_await prepare();
      const std::uint64_t erased = co_await pool_.execute(kErase, id, version);
      if (erased != 0) co_return std::expected<void, Refusal>();
    } catch (const pg::Error& error) {
      fail(error);
    }
    co_return std::unexpected(co_await why_not(id));
  }

  void report_metrics(volt::MetricSink& sink) const override { pool_.report_metrics(sink); }

 private:
  // Creates the table if necessary. After a failure, the next call tries again.
  Task<> prepare() {
    co_await ready_.get_or_init([this] { return make_table_once(); });
  }
  Task<std::monostate> make_table_once() {
    co_await pool_.execute(kMakeTable);
    co_return std::monostate();
  }

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

  const pg::Pool pool_;
  volt::OnceCell<std::monostate> ready_;
};

}  // namespace

std::unique_ptr<Store> open_postgres(volt::pg::PoolOptions options) {
  return std::make_unique<PostgresStore>(std::move(options));
}

}  // namespace crud
