// SPDX-License-Identifier: MIT

// Umbrella header of volt::pg: a PostgreSQL client that does not block workers.
//
//   struct World { int id; int random_number; };
//
//   volt::pg::Pool db(volt::pg::options_from_environment());                     // DATABASE_URL
//   std::optional<World> world = co_await db.find<World>("select id, randomnumber from world where id = $1", 7);
//   std::uint64_t changed = co_await db.execute("update world set randomnumber = $1 where id = $2", 42, 7);
//
//   volt::pg::Transaction transaction = co_await db.transaction();               // rolled back on destruction,
//   co_await transaction.execute("insert into fortune values ($1, $2)", 13, text);
//   co_await transaction.commit();                                               // unless it was committed
//
//   co_await volt::pg::migrate(db, "migrations");                                // pg/migrate.h
#pragma once

#include "pg/batch.h"
#include "pg/copy.h"
#include "pg/error.h"
#include "pg/job_queue.h"
#include "pg/listener.h"
#include "pg/migrate.h"
#include "pg/options.h"
#include "pg/parameters.h"
#include "pg/pool.h"
#include "pg/query.h"
#include "pg/rows.h"
#include "pg/transaction.h"
