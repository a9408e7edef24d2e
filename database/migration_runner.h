// SPDX-License-Identifier: MIT

// MigrationRunner: executes migrations (migrations/migrations.h) on a database, for pg::migrate() and
// sqlite::migrate().
//
// `Dialect` has what differs between the databases:
//
//   using Pool = ..;  using Transaction = ..;
//   static constexpr Logger kLog("..");
//   static constexpr std::string_view kHasTable = "..";     // a query for a bool: does volt_migrations exist?
//   static constexpr std::string_view kMakeTable = "..";    // creates it
//   static Task<Transaction> begin(Pool pool, migrations::Options options);   // waits while another program migrates
//   static Task<> execute(const Transaction&, const migrations::Migration&);  // all statements of the file
//   static bool is_refusal(const std::exception&);          // the database refused a statement of the file
//
// Threads: one task at a time. Errors: migrations::Error; those of the database.
#pragma once

#include <chrono>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrations/migrations.h"
#include "runtime/blocking.h"
#include "runtime/logger.h"
#include "runtime/task.h"

namespace volt::database {

template <class Dialect>
class MigrationRunner {
 public:
  using Pool = typename Dialect::Pool;
  using Transaction = typename Dialect::Transaction;

  static Task<> run(Pool pool, std::filesystem::path folder, migrations::Options options) {
    auto read = [&folder] { return migrations::read_folder(folder); };
    std::vector<migrations::Migration> all = co_await blocking(std::move(read));
    co_await execute_all(std::move(pool), std::move(all), options);
  }

  static Task<> run(Pool pool, std::vector<migrations::File> files, migrations::Options options) {
    std::vector<migrations::Migration> all = migrations::from_files(std::move(files));
    co_await execute_all(std::move(pool), std::move(all), options);
  }

 private:
  static constexpr std::string_view kApplied = "select number, name, checksum from volt_migrations order by number";
  static constexpr std::string_view kInsert =
      "insert into volt_migrations (number, name, checksum) values ($1, $2, $3)";

  static Task<> execute_all(Pool pool, std::vector<migrations::Migration> all, migrations::Options options) {
    bool more = true;
    while (more) more = co_await execute_next(pool, all, options);
  }

  // Executes the first migration that has to be executed. Returns false if there is none.
  static Task<bool> execute_next(Pool pool, const std::vector<migrations::Migration>& all,
                                 migrations::Options options) {
    const auto began = std::chrono::steady_clock::now();
    Transaction transaction = co_await Dialect::begin(pool, options);
    const auto has_table = co_await transaction.template find<bool>(Dialect::kHasTable);
    std::vector<migrations::Applied> applied;
    if (*has_table) applied = co_await transaction.template query<migrations::Applied>(kApplied);
    const migrations::Migration* next = migrations::next_of(all, applied, options);
    if (next == nullptr) co_return false;
    if (!*has_table) co_await transaction.execute(Dialect::kMakeTable);
    co_await execute(transaction, *next);
    co_await transaction.commit();
    const auto took = std::chrono::steady_clock::now() - began;
    Dialect::kLog(LogLevel::info, "migrated the database", {{"migration", next->name}, {"took", took}});
    co_return true;
  }

  static Task<> execute(const Transaction& transaction, const migrations::Migration& migration) {
    std::string reason;
    try {
      co_await Dialect::execute(transaction, migration);
      co_await transaction.execute(kInsert, migration.number, migration.name, migration.checksum);
      co_return;
    } catch (const std::exception& error) {  // decided: a refusal names the file
      if (!Dialect::is_refusal(error)) throw;
      reason = error.what();
    }
    throw migrations::Error("the migration " + migration.name + " failed: " + reason);
  }
};

}  // namespace volt::database
