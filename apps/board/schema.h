// SPDX-License-Identifier: MIT

// The tables, as migrations that the program contains. Replicas that start together execute each one once: one of them
// holds an advisory lock, and the others wait.
//
// A migration must leave the version of the program before it working, because both run during a rolling update. For
// the same reason an older program starts with a newer schema.
#pragma once

#include <pg/pg.h>
#include <runtime/task.h>

namespace board {

[[nodiscard]] volt::Task<> migrate(volt::pg::Pool db);

}  // namespace board
