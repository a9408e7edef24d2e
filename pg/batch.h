// SPDX-License-Identifier: MIT

// Batch: several queries that are sent together and executed in order, in one round trip instead of many.
//
//   pg::Batch batch;
//   for (const int id : ids) batch.add("select id, randomnumber from world where id = $1", id);
//   std::vector<pg::Rows> worlds = co_await db.send(std::move(batch));
//   const World first = worlds[0].to<World>(0);
//
// Each query is a transaction of its own, as if it had been sent alone: a failure does not affect the other queries. A
// batch that is sent by a Transaction is part of that transaction.
//
// Threads: a value. Lifetime: the texts are views, which must stay valid until the batch was awaited.
#pragma once

#include "database/batch.h"
#include "pg/query.h"

namespace volt::pg {

using Batch = database::Batch<Query>;

}  // namespace volt::pg
