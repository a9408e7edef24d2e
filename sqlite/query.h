// SPDX-License-Identifier: MIT

// Query: a statement's text and its parameters (database/query.h).
#pragma once

#include "database/query.h"
#include "sqlite/parameters.h"

namespace volt::sqlite {

using Query = database::Query<Parameters>;

}  // namespace volt::sqlite
