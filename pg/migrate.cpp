// SPDX-License-Identifier: MIT

#include "pg/migrate.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "pg/error.h"
#include "pg/pool.h"
#include "pg/transaction.h"
#include "runtime/blocking.h"
#include "runtime/logger.h"

namespace volt::pg {
namespace {

using migrations::Applied;
using migrations::Migration;
using migrations::Options;

constexpr Logger kMigrationLog("pg");

constexpr std::string_view kLock = "select pg_advisory_xact_lock(hashtext('volt_migrations'))";
constexpr std::string_view kHasTable = "select to_regclass('volt_migrations') is not null";
constexpr std::string_view kMakeTable =
    "create table volt_migrations (number bigint primary key, name text not null, checksum text not null, "
    "applied_at timestamptz not null default now())";
constexpr std::string_view kApplied = "select number, name, checksum from volt_migrations order by number";
constexpr std::string_view kInsert = "insert into volt_migrations (number, name, checksum) values ($1, $2, $3)";

// Returns a tag with which `text` can be quoted.
std::string tag_for(std::string_view text, std::string_view name) {
  for (std::size_t number = 0;; ++number) {
    std::string tag = "$" + std::string(name) + std::to_string(number) + "$";
    if (!text.contains(tag)) return tag;
  }
}

// Returns one statement that executes all statements of `sql`: a pool prepares what it sends, and PostgreSQL prepares
// one statement at a time. Rejected: to split the text at its semicolons, which needs a reader of SQL's quotes,
// comments and function bodies.
std::string as_one_statement(std::string_view sql) {
  const std::string tag = tag_for(sql, "migration");
  std::string body = "begin execute " + tag;
  body.append(sql).append(tag).append("; end");
  const std::string outer = tag_for(body, "block");
  return "do " + outer + body + outer;
}

Task<> execute(const Transaction& transaction, const Migration& migration) {
  std::string reason;
  const std::string statement = as_one_statement(migration.sql);
  try {
    co_await transaction.execute(statement);
    co_await transaction.execute(kInsert, migration.number, migration.name, migration.checksum);
    co_return;
  } catch (const ServerError& error) {
    reason = error.what();
  }
  throw migrations::Error("the migration " + migration.name + " failed: " + reason);
}

// Executes the first migration that has to be executed. Returns false if there is none.
Task<bool> execute_next(Pool pool, const std::vector<Migration>& all, Options options) {
  const auto began = std::chrono::steady_clock::now();
  // With a stricter isolation, the transaction would see the database as it was before it got the lock.
  const TransactionOptions patient{.isolation = Isolation::read_committed, .query_timeout = options.timeout};
  Transaction transaction = co_await pool.transaction(patient);
  static_cast<void>(co_await transaction.rows(kLock));  // until the end of the transaction
  const auto has_table = co_await transaction.find<bool>(kHasTable);
  std::vector<Applied> applied;
  if (*has_table) applied = co_await transaction.query<Applied>(kApplied);
  const Migration* next = migrations::next_of(all, applied, options);
  if (next == nullptr) co_return false;
  if (!*has_table) co_await transaction.execute(kMakeTable);
  co_await execute(transaction, *next);
  co_await transaction.commit();
  const auto took = std::chrono::steady_clock::now() - began;
  kMigrationLog(LogLevel::info, "migrated the database", {{"migration", next->name}, {"took", took}});
  co_return true;
}

Task<> execute_all(Pool pool, std::vector<Migration> all, Options options) {
  bool more = true;
  while (more) more = co_await execute_next(pool, all, options);
}

}  // namespace

Task<> migrate(Pool pool, std::filesystem::path folder, Options options) {
  auto read = [&folder] { return migrations::read_folder(folder); };
  std::vector<Migration> all = co_await blocking(std::move(read));
  co_await execute_all(std::move(pool), std::move(all), options);
}

Task<> migrate(Pool pool, std::vector<migrations::File> files, Options options) {
  std::vector<Migration> all = migrations::from_files(std::move(files));
  co_await execute_all(std::move(pool), std::move(all), options);
}

}  // namespace volt::pg
