// SPDX-License-Identifier: MIT

// migrate(): brings the schema of a database up to date, from a folder of SQL files (migrations/migrations.h).
//
//   app.before_listen([db] { return volt::pg::migrate(db, "migrations"); });
//
// The folder is relative to the working directory. Each file is executed in a transaction, under an advisory lock. So
// it must not contain `begin` or `commit`, nor statements that PostgreSQL executes outside of transactions only, such
// as `create index concurrently` and `vacuum`; nor `copy .. from stdin`. The log names each file that was executed
// (module `pg`).
//
// Errors: migrations::Error, also for a statement that fails; Unavailable; ConnectionLost; QueryTimeout.
#pragma once

#include <filesystem>
#include <vector>

#include "migrations/migrations.h"
#include "runtime/task.h"

namespace volt::pg {

class Pool;

Task<> migrate(Pool pool, std::filesystem::path folder, migrations::Options options = {});
// Takes files that the program contains.
Task<> migrate(Pool pool, std::vector<migrations::File> files, migrations::Options options = {});

}  // namespace volt::pg
