// SPDX-License-Identifier: MIT

#include "sqlite/migrate.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "database/migration_runner.h"
#include "runtime/deadline.h"
#include "runtime/logger.h"
#include "runtime/time.h"
#include "sqlite/error.h"
#include "sqlite/pool.h"

namespace volt::sqlite {
namespace {

constexpr auto kBetweenAttempts = std::chrono::milliseconds(50);

struct MigrationDialect {
  using Pool = sqlite::Pool;
  using Transaction = sqlite::Transaction;

  static constexpr Logger kLog{"sqlite"};
  static constexpr std::string_view kHasTable = "select count(*) from sqlite_schema where name = 'volt_migrations'";
  static constexpr std::string_view kMakeTable =
      "create table volt_migrations (number integer primary key, name text not null, checksum text not null, "
      "applied_at text not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')))";

  static Task<Transaction> begin(Pool pool, migrations::Options options) {
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

  static Task<> execute(const Transaction& transaction, const migrations::Migration& migration) {
    return transaction.script(migration.sql);
  }

  static bool is_refusal(const std::exception& error) noexcept { return dynamic_cast<const Error*>(&error) != nullptr; }
};

}  // namespace

Task<> migrate(Pool pool, std::filesystem::path folder, migrations::Options options) {
  return database::MigrationRunner<MigrationDialect>::run(std::move(pool), std::move(folder), options);
}

Task<> migrate(Pool pool, std::vector<migrations::File> files, migrations::Options options) {
  return database::MigrationRunner<MigrationDialect>::run(std::move(pool), std::move(files), options);
}

}  // namespace volt::sqlite
