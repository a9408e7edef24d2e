#include "apps/crud/db.h"

#include <runtime/blocking.h>
#include <runtime/mutex.h>
#include <sqlite3.h>

#include <string_view>

namespace crud {
namespace {

using volt::blocking;
using volt::Mutex;

constexpr int kBusyMilliseconds = 500;  // how long a query waits for another process

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

[[noreturn]] void fail(sqlite3* database) { throw DbDown(sqlite3_errmsg(database)); }

void run(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

Database open(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  Database database(opened);  // also if it failed: it has the reason
  if (status != SQLITE_OK) fail(opened);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  run(opened, "PRAGMA journal_mode = WAL");    // others may read the file while this writes
  run(opened, "PRAGMA synchronous = NORMAL");  // with WAL, a power cut may lose the last commits and damages nothing
  run(opened,
      "CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, "
      "price INTEGER NOT NULL)");
  return database;
}

// One query. What is bound must outlive it.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  // The values of its question marks, from left to right.
  Statement& bind(std::int64_t value) {
    check(sqlite3_bind_int64(statement_, ++bound_, value));
    return *this;
  }
  Statement& bind(std::string_view text) {
    check(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
  }

  // Whether there is another row, which is the current one then.
  bool step() {
    const int status = sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail(database_);
    return status == SQLITE_ROW;
  }
  // The current row, of columns id, name, price.
  Item item() const {
    const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 1));
    return {.id = sqlite3_column_int64(statement_, 0),
            .name = std::string(name, static_cast<std::size_t>(sqlite3_column_bytes(statement_, 1))),
            .price = sqlite3_column_int(statement_, 2)};
  }

 private:
  void check(int status) const {
    if (status != SQLITE_OK) fail(database_);
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace

// Queries take turns here, where waiting costs nothing, and not inside SQLite, where each would hold a thread.
struct Db::Connection {
  Database database;
  Mutex turn;
};

Db::Db(const std::string& path) : connection_(std::make_shared<Connection>(open(path))) {}

Task<std::vector<Item>> Db::page(int limit, std::int64_t after) const {
  const Mutex::Guard turn = co_await connection_->turn.lock();
  co_return co_await blocking([&] {
    Statement select(connection_->database.get(), "SELECT id, name, price FROM items WHERE id > ? ORDER BY id LIMIT ?");
    select.bind(after).bind(limit);
    std::vector<Item> items;
    while (select.step()) items.push_back(select.item());
    return items;
  });
}

Task<Item> Db::insert(const NewItem& item) const {
  const Mutex::Guard turn = co_await connection_->turn.lock();
  co_return co_await blocking([&] {
    sqlite3* database = connection_->database.get();
    Statement insert(database, "INSERT INTO items (name, price) VALUES (?, ?)");
    insert.bind(item.name).bind(item.price);
    insert.step();
    return Item{.id = sqlite3_last_insert_rowid(database), .name = item.name, .price = item.price};
  });
}

Task<std::optional<Item>> Db::find(std::int64_t id) const {
  const Mutex::Guard turn = co_await connection_->turn.lock();
  co_return co_await blocking([&] {
    Statement select(connection_->database.get(), "SELECT id, name, price FROM items WHERE id = ?");
    select.bind(id);
    return select.step() ? std::optional(select.item()) : std::nullopt;
  });
}

Task<bool> Db::erase(std::int64_t id) const {
  const Mutex::Guard turn = co_await connection_->turn.lock();
  co_return co_await blocking([&] {
    sqlite3* database = connection_->database.get();
    Statement erase(database, "DELETE FROM items WHERE id = ?");
    erase.bind(id);
    erase.step();
    return sqlite3_changes(database) != 0;
  });
}

}  // namespace crud
