// SPDX-License-Identifier: MIT

// Umbrella header of volt::sqlite: SQLite without blocking workers, with the names of volt::pg.
//
//   struct Item { std::int64_t id; std::string name; std::optional<double> price; };
//
//   volt::sqlite::Pool db({.path = "shop.db"});
//   std::optional<Item> item = co_await db.find<Item>("select id, name, price from item where id = $1", 7);
//   std::uint64_t changed = co_await db.execute("update item set price = $1 where id = $2", 2.5, 7);
//
//   volt::sqlite::Transaction transaction = co_await db.transaction();      // rolled back on destruction,
//   co_await transaction.execute("insert into item (name) values ($1)", name);
//   co_await transaction.commit();                                          // unless it was committed
//
//   co_await volt::sqlite::migrate(db, "migrations");                       // sqlite/migrate.h
#pragma once

#include "sqlite/batch.h"
#include "sqlite/error.h"
#include "sqlite/job_queue.h"
#include "sqlite/migrate.h"
#include "sqlite/options.h"
#include "sqlite/parameters.h"
#include "sqlite/pool.h"
#include "sqlite/query.h"
#include "sqlite/rows.h"
#include "sqlite/transaction.h"
