// SPDX-License-Identifier: MIT

// Queries: the query functions of a Pool and of a Transaction: query(), find(), execute(), rows() and send()
// (database/queries.h).
//
// Each function returns a task, which must be awaited in the same expression, because its text is a view. Errors:
// pg/error.h; errors of parameters (pg/parameters.h) are thrown by the call. A query that is canceled or times out is
// abandoned: its result is discarded on arrival, and if the result takes too long, the server is requested to cancel
// the query.
#pragma once

#include "database/queries.h"
#include "pg/batch.h"
#include "pg/query.h"
#include "pg/rows.h"

namespace volt::pg {

template <class Self>
using Queries = database::Queries<Self, Query, Rows>;

}  // namespace volt::pg
