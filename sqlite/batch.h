// SPDX-License-Identifier: MIT

// Batch: several queries that are executed in order by one call on the blocking pool, instead of one call for each.
//
//   sqlite::Batch batch;
//   for (const int id : ids) batch.add("select id, name from item where id = $1", id);
//   std::vector<sqlite::Rows> items = co_await db.send(std::move(batch));
//   const Item first = items[0].to<Item>(0);
//
// Each query is a transaction of its own, as if it had been sent alone: a failure does not affect the other queries. A
// batch that is sent by a Transaction is part of that transaction.
//
// Threads: a value. Lifetime: the texts are views, which must stay valid until the batch was awaited.
#pragma once

#include "database/batch.h"
#include "sqlite/query.h"

namespace volt::sqlite {

using Batch = database::Batch<Query>;

}  // namespace volt::sqlite
