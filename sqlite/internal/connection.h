// SPDX-License-Identifier: MIT

// Connection: a connection to a database file, with its prepared statements.
//
// Threads: one at a time, which may block. Lifetime: its CallLimits must outlive it. Errors: sqlite/error.h, and
// Cancelled after CallLimits::interrupt().
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sqlite/internal/call_limits.h"
#include "sqlite/options.h"
#include "sqlite/query.h"
#include "sqlite/rows.h"

struct sqlite3;
struct sqlite3_stmt;

namespace volt::sqlite::internal {

enum class Role : std::uint8_t { writer, reader };

// Whether queries may write.
enum class Access : std::uint8_t { read, write };

// Thrown for queries that may only read, before any of them is executed.
struct NeedsWriter {};

// A prepared statement.
struct Statement {
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> handle;
  std::vector<std::size_t> values;  // for each placeholder, the index of its value
  std::size_t values_count = 0;
};

// The result of one query: its rows, or its error.
struct Outcome {
  Rows rows = {};
  std::exception_ptr error = nullptr;
};

class Connection {
 public:
  // Opens the file. A reader does not create it, and cannot write.
  Connection(const PoolOptions& options, Role role, CallLimits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs queries, each to its end. Throws NeedsWriter if one of them writes and may not. Outside a transaction, a query
  // that begins one fails.
  [[nodiscard]] std::vector<Outcome> run_all(std::span<const Query> queries, Access access);
  // Runs one query.
  Rows run(const Query& query);
  // Runs the statements of a script.
  void script(std::string_view statements);

  [[nodiscard]] bool in_transaction() const noexcept;
  // Ends the transaction, if there is one. Cannot be interrupted.
  void roll_back() noexcept;
  // True after an error after which the connection must be opened again.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const noexcept;
  };
  struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  class Using;

  void set_up(const PoolOptions& options);
  void use_wal();
  // Returns the statement for a text, prepared now or earlier. One that is not kept is put into `temporary`.
  [[nodiscard]] Statement& statement_for(std::string_view text, Statement& temporary);
  // Prepares the first statement of `text`, and sets `rest` to the text behind it.
  [[nodiscard]] Statement prepare(std::string_view text, bool keep, std::string_view& rest) const;
  Rows step_to_end(sqlite3_stmt* statement);
  static int on_progress(void* self) noexcept;
  static int on_busy(void* self, int times) noexcept;
  [[noreturn]] void fail() const;
  void check(int status) const;

  const Role role_;
  CallLimits& limits_;
  const std::size_t statements_max_;
  const std::chrono::nanoseconds busy_timeout_;
  std::unique_ptr<sqlite3, Close> database_;
  std::unordered_map<std::string, Statement, StringHash, std::equal_to<>> statements_;
  CallLimits::Clock::time_point busy_until_;
  mutable bool broken_ = false;
};

}  // namespace volt::sqlite::internal
