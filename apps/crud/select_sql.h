// SPDX-License-Identifier: MIT

// The query for a page of items, in the SQL that SQLite and PostgreSQL have in common.
#pragma once

#include <string>
#include <string_view>

#include "apps/crud/store.h"

namespace crud {

// The parts of the query that differ between the databases.
struct SelectParts {
  std::string_view condition;  // condition on the name and the highest price
  std::string_view after;      // placeholders of the two values after which the page begins
  std::string_view limit;      // placeholder of the number of rows
};

// Returns a query with the columns id, name, price and version.
std::string select_sql(const Selection& wanted, const SelectParts& parts);

}  // namespace crud
