// SPDX-License-Identifier: MIT

#include "sqlite/migrate.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/blocking.h"
#include "runtime/deadline.h"
#include "runtime/logger.h"
#include "sqlite/error.h"
#include "sqlite/pool.h"

namespace volt::sqlite {
namespace {

using migrations::Applied;
using migrations::Migration;
using migrations::Options;

constexpr Logger kMigrationLog("sqlite");
constexpr auto kBetweenAttempts = std::chrono::milliseconds(50);

constexpr std::string_view kHasTable = "select count(*) from sqlite_schema where name = 'volt_migrations'";
constexpr std::string_view kMakeTable =
    "create table volt_migrations (number integer primary key, name text not null, checksum text not null, "
    "applied_at text not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))";
constexpr std::string_view kApplied = "select number, name, checksum from volt_migrations order by number";
constexpr std::string_view kInsert = "insert into volt_migrations (number, name, checksum) values ($1, $2, $3)";

// Begins a transaction; waits as long as another program migrates.
Task<Transaction> begin(Pool pool, Options options) {
  const Deadline until = Deadline::after(options.timeout);
  const TransactionOptions transaction{.query_timeout = options.timeout};
  for (;;) {
    try {
      co_return co_await pool.transaction(transaction);
    } catch (const Busy&) {
      if (until.passed()) throw;
    }
    co_await sleep_for(kBetweenAttempts);
  }
}

Task<> execute(const Transaction& transaction, const Migration& migration) {
  std::string reason;
  try {
    co_await transaction.script(migration.sql);
    co_await transaction.execute(kInsert, migration.number, migration.name, migration.checksum);
    co_return;
  } catch (const Error& error) {
    reason = error.what();
  }
  throw migrations::Error("the migration " + migration.name + " failed: " + reason);
}

// Executes the first migration that has to be executed. Returns false if there is none.
Task<bool> execute_next(Pool pool, const std::vector<Migration>& all, Options options) {
  const auto began = std::chrono::steady_clock::now();
  Transaction transaction = co_await begin(pool, options);
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

}  // namespace volt::sqlite
