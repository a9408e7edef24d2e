// SPDX-License-Identifier: MIT

#include "apps/crud/sqlite_store.h"

#include <runtime/blocking.h>
#include <runtime/mutex.h>

#include <utility>

#include "apps/crud/select_sql.h"
#include "apps/crud/sqlite_statement.h"

namespace crud {
namespace {

using sqlite::Database;
using sqlite::Statement;
using volt::blocking;
using volt::Mutex;

constexpr int kBusyMilliseconds = 500;  // how long a query waits for another process

void run(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) sqlite::fail(database);
}

Database open_database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database database(opened);  // also after a failure, when it holds the error message
  if (status != SQLITE_OK) sqlite::fail(opened);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  run(opened, "PRAGMA journal_mode = WAL");    // lets other processes read the file while this one writes
  run(opened, "PRAGMA synchronous = NORMAL");  // with WAL, a power failure may lose commits but not corrupt the file
  run(opened,
      "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, "
      "price INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1);"
      "CREATE INDEX IF NOT EXISTS items_by_price ON items (price, id)");
  return database;
}

// Returns the current row of a query with the columns id, name, price and version.
Item current_item(const Statement& query) {
  return {.id = query.number(0),
          .name = query.text(1),
          .price = static_cast<int>(query.number(2)),
          .version = query.number(3)};
}

constexpr SelectParts kSelect{
    .condition = "instr(lower(name), lower(?)) > 0 and price <= ?", .after = "?, ?", .limit = "?"};

void bind_after(Statement& query, Sort sort, const Item& after) {
  if (sort == Sort::name) {
    query.bind(after.name);
  } else {
    query.bind(sort == Sort::id ? after.id : after.price);
  }
  query.bind(after.id);
}

// The table. Threads: those of the blocking pool, one at a time.
class Items {
 public:
  explicit Items(const std::string& path) : database_(open_database(path)) {}

  std::vector<Item> select(const Selection& wanted) const {
    Statement query(database_.get(), select_sql(wanted, kSelect));
    query.bind(wanted.name).bind(wanted.price_max);
    if (wanted.after) bind_after(query, wanted.sort, *wanted.after);
    query.bind(wanted.limit);
    std::vector<Item> items;
    while (query.step() == Statement::Step::row) items.push_back(current_item(query));
    return items;
  }

  std::optional<Item> find(std::int64_t id) const {
    Statement query(database_.get(), "SELECT id, name, price, version FROM items WHERE id = ?");
    query.bind(id);
    return query.step() == Statement::Step::row ? std::optional(current_item(query)) : std::nullopt;
  }

  std::expected<Item, Refusal> insert(const NewItem& item) const {
    Statement query(database_.get(),
                    "INSERT INTO items (name, price) VALUES (?, ?) RETURNING id, name, price, version");
    query.bind(*item.name).bind(*item.price);
    if (query.step() == Statement::Step::not_unique) return std::unexpected(Refusal::name_taken);
    return finished(query);
  }

  std::expected<Item, Refusal> replace(std::int64_t id, std::optional<std::int64_t> version,
                                       const NewItem& item) const {
    Statement query(database_.get(),
                    "UPDATE items SET name = ?, price = ?, version = version + 1 WHERE id = ? AND version = "
                    "coalesce(nullif(?, 0), version) RETURNING id, name, price, version");
    query.bind(*item.name).bind(*item.price).bind(id).bind(version.value_or(0));
    switch (query.step()) {
      case Statement::Step::row:
        return finished(query);
      case Statement::Step::not_unique:
        return std::unexpected(Refusal::name_taken);
      case Statement::Step::done:
        return std::unexpected(why_not(id));
    }
    std::unreachable();
  }

  std::expected<void, Refusal> erase(std::int64_t id, std::optional<std::int64_t> version) const {
    Statement query(database_.get(), "DELETE FROM items WHERE id = ? AND version = coalesce(nullif(?, 0), version)");
    query.bind(id).bind(version.value_or(0)).step();
    if (sqlite3_changes(database_.get()) == 0) return std::unexpected(why_not(id));
    return {};
  }

 private:
  // Steps to the end, because a query that writes ends only after its last row. Returns the row.
  static Item finished(Statement& query) {
    Item item = current_item(query);
    query.step();
    return item;
  }
  // Returns why a change did not apply. No other query of this process can run in between: queries run one at a time.
  Refusal why_not(std::int64_t id) const { return find(id) ? Refusal::stale : Refusal::missing; }

  Database database_;
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(const std::string& path) : items_(path) {}

  Task<std::vector<Item>> select(Selection selection) override {
    const Mutex::Guard turn = co_await turn_.lock();
    co_return co_await blocking([&] { return items_.select(selection); });
  }
  Task<std::optional<Item>> find(std::int64_t id) override {
    const Mutex::Guard turn = co_await turn_.lock();
    co_return co_await blocking([&] { return items_.find(id); });
  }
  Task<std::expected<Item, Refusal>> insert(NewItem item) override {
    const Mutex::Guard turn = co_await turn_.lock();
    co_return co_await blocking([&] { return items_.insert(item); });
  }
  Task<std::expected<Item, Refusal>> replace(std::int64_t id, std::optional<std::int64_t> version,
                                             NewItem item) override {
    const Mutex::Guard turn = co_await turn_.lock();
    co_return co_await blocking([&] { return items_.replace(id, version, item); });
  }
  Task<std::expected<void, Refusal>> erase(std::int64_t id, std::optional<std::int64_t> version) override {
    const Mutex::Guard turn = co_await turn_.lock();
    co_return co_await blocking([&] { return items_.erase(id, version); });
  }

 private:
  // Queries run one at a time. This mutex makes tasks wait, which costs no thread; waiting inside SQLite would block
  // one.
  Mutex turn_;
  const Items items_;
};

}  // namespace

std::unique_ptr<Store> open_sqlite(const std::string& path) { return std::make_unique<SqliteStore>(path); }

}  // namespace crud
