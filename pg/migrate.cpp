// SPDX-License-Identifier: MIT

#include "pg/migrate.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "database/migration_runner.h"
#include "pg/error.h"
#include "pg/pool.h"
#include "pg/transaction.h"
#include "runtime/logger.h"

namespace volt::pg {
namespace {

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

struct MigrationDialect {
  using Pool = pg::Pool;
  using Transaction = pg::Transaction;

  static constexpr Logger kLog{"pg"};
  static constexpr std::string_view kLock = "select pg_advisory_xact_lock(hashtext('volt_migrations'))";
  static constexpr std::string_view kHasTable = "select to_regclass('volt_migrations') is not null";
  static constexpr std::string_view kMakeTable =
      "create table volt_migrations (number bigint primary key, name text not null, checksum text not null, "
      "applied_at timestamptz not null default now())";

  static Task<Transaction> begin(Pool pool, migrations::Options options) {
    // With a stricter isolation, the transaction would see the database as it was before it got the lock.
    const TransactionOptions patient{.isolation = Isolation::read_committed, .query_timeout = options.timeout};
    Transaction transaction = co_await pool.transaction(patient);
    static_cast<void>(co_await transaction.rows(kLock));  // until the end of the transaction
    co_return std::move(transaction);
  }

  static Task<> execute(const Transaction& transaction, const migrations::Migration& migration) {
    const std::string statement = as_one_statement(migration.sql);
    co_await transaction.execute(statement);
  }

  static bool is_refusal(const std::exception& error) noexcept {
    return dynamic_cast<const ServerError*>(&error) != nullptr;
  }
};

}  // namespace

Task<> migrate(Pool pool, std::filesystem::path folder, migrations::Options options) {
  return database::MigrationRunner<MigrationDialect>::run(std::move(pool), std::move(folder), options);
}

Task<> migrate(Pool pool, std::vector<migrations::File> files, migrations::Options options) {
  return database::MigrationRunner<MigrationDialect>::run(std::move(pool), std::move(files), options);
}

}  // namespace volt::pg
