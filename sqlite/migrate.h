// SPDX-License-Identifier: MIT

// migrate(): brings the schema of a database up to date, from a folder of SQL files (migrations/migrations.h).
//
//   app.before_listen([db] { return volt::sqlite::migrate(db, "migrations"); });
//
// The folder is relative to the working directory. Each file is executed in a transaction (BEGIN IMMEDIATE). Foreign
// keys are enforced while it runs; `pragma defer_foreign_keys = on` in a file defers their check to its end. The log
// names each file that was executed (module `sqlite`).
//
// Errors: migrations::Error, also for a statement that fails; Unavailable; QueryTimeout.
#pragma once

#include <filesystem>
#include <vector>

#include "migrations/migrations.h"
#include "runtime/task.h"

namespace volt::sqlite {

class Pool;

Task<> migrate(Pool pool, std::filesystem::path folder, migrations::Options options = {});
// Takes files that the program contains.
Task<> migrate(Pool pool, std::vector<migrations::File> files, migrations::Options options = {});

}  // namespace volt::sqlite
