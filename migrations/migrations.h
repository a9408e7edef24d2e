// SPDX-License-Identifier: MIT

// Migrations: the changes of a database's schema as a folder of numbered SQL files, for pg::migrate() (pg/migrate.h)
// and sqlite::migrate() (sqlite/migrate.h).
//
//   migrations/0001_create_items.sql
//   migrations/0002_add_prices.sql
//
//   app.before_listen([pool] { return volt::pg::migrate(pool, "migrations"); });
//
// Each file is executed once, in the order of the numbers, in a transaction of its own, in which the table
// volt_migrations gets a row with the number, the name and the SHA-256 of the file. Of several programs that start at
// once, one executes a file while the others wait. A file that fails changes nothing, and no later one is executed.
//
// A file that was executed must stay as it is: to correct it, add another one. The functions throw Error if a file has
// changed or is missing, or if a new one has a number below one that was executed.
//
// Threads: pure functions, but read_folder(), which blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace volt::migrations {

// The text is a sentence that names the file and says what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  // false: executes nothing; a file that has not been executed is an error. For programs whose user may not change the
  // schema, while another program migrates it.
  bool apply = true;
  // true: accepts that the database has migrations with numbers above those of all files. An old version of a program
  // then starts beside a newer one, as in a rolling update, or when an update is taken back.
  bool allow_newer = false;
  // Maximum time of each statement, and of the wait for another program that migrates.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
};

struct File {
  std::string name;  // 0001_create_items.sql: four digits or more, '_', and a name of letters, digits, '_', '-' and '.'
  std::string sql;
};

struct Migration {
  std::int64_t number = 0;
  std::string name = {};
  std::string sql = {};
  std::string checksum = {};  // SHA-256 of the SQL in hexadecimal
};

// A row of the table volt_migrations.
struct Applied {
  std::int64_t number = 0;
  std::string name;
  std::string checksum;
};

// Returns the files whose names end in .sql, by number. Other files, and those that begin with '.', are ignored. Throws
// Error if the folder or a file cannot be read; and as below.
[[nodiscard]] std::vector<Migration> read_folder(const std::filesystem::path& folder);
// Returns the migrations of these files, by number. Throws Error for a name without a number, and for two files with
// equal numbers.
[[nodiscard]] std::vector<Migration> from_files(std::vector<File> files);

// Returns the first migration that has to be executed; null if there is none. `migrations` must be sorted by number,
// and must outlive the result. Throws Error as said above.
[[nodiscard]] const Migration* next_of(std::span<const Migration> migrations, std::span<const Applied> applied,
                                       const Options& options);

}  // namespace volt::migrations
