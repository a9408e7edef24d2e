// SPDX-License-Identifier: MIT

// Queries: the query functions of a Pool and of a Transaction: query(), find(), execute(), rows() and send()
// (database/queries.h).
//
// Each function returns a task, which must be awaited in the same expression, because its text is a view. Errors:
// sqlite/error.h. A query that is cancelled or times out is interrupted, and has then changed nothing.
#pragma once

#include "database/queries.h"
#include "sqlite/batch.h"
#include "sqlite/query.h"
#include "sqlite/rows.h"

namespace volt::sqlite {

template <class Self>
using Queries = database::Queries<Self, Query, Rows>;

}  // namespace volt::sqlite
