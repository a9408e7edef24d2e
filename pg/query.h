// SPDX-License-Identifier: MIT

// Query: a statement's text and its parameters (database/query.h).
#pragma once

#include "database/query.h"
#include "pg/parameters.h"

namespace volt::pg {

using Query = database::Query<Parameters>;

}  // namespace volt::pg
