// The query for a page of items, in what SQLite and PostgreSQL have in common.
#pragma once

#include <string>
#include <string_view>

#include "apps/crud/store.h"

namespace crud {

// How a database writes what differs.
struct SelectParts {
  std::string_view condition;  // on the name and the highest price
  std::string_view after;      // the two values that the page begins after
  std::string_view limit;
};

// Of columns id, name, price, version.
std::string select_sql(const Selection& wanted, const SelectParts& parts);

}  // namespace crud
