// SPDX-License-Identifier: MIT

// Owners of a SQLite database and of a prepared statement.
//
// Threads: one at a time. Errors: StoreUnavailable, and std::runtime_error for mistakes in SQL or in the schema.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/crud/store.h"

namespace crud::sqlite {

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// Throws StoreUnavailable if the statement may succeed later, otherwise std::runtime_error, for example for a missing
// table, which does not appear if the client tries again later.
[[noreturn]] inline void fail(sqlite3* database) {
  constexpr int kPrimaryCode = 0xff;
  switch (sqlite3_errcode(database) & kPrimaryCode) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:
    case SQLITE_INTERRUPT:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
      throw StoreUnavailable(sqlite3_errmsg(database));
    default:
      throw std::runtime_error(sqlite3_errmsg(database));
  }
}

// A query. Bound text must outlive it.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  // Binds the value of the next question mark, from left to right.
  Statement& bind(std::int64_t value) {
    check(sqlite3_bind_int64(statement_, ++bound_, value));
    return *this;
  }
  Statement& bind(std::string_view text) {
    check(sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
  }

  enum class Step : std::uint8_t { row, done, not_unique };
  // Advances to the next row, which becomes the current row.
  Step step() {
    switch (sqlite3_step(statement_)) {
      case SQLITE_ROW:
        return Step::row;
      case SQLITE_DONE:
        return Step::done;
      case SQLITE_CONSTRAINT:
        if (sqlite3_extended_errcode(database_) == SQLITE_CONSTRAINT_UNIQUE) return Step::not_unique;
        [[fallthrough]];
      default:
        fail(database_);
    }
  }

  // Return a column of the current row.
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const {
    const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  void check(int status) const {
    if (status != SQLITE_OK) fail(database_);
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

}  // namespace crud::sqlite
