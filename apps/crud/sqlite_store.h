// A store in a SQLite file, or in memory. Its queries run on the pool for what blocks, one at a time, in the order in
// which they came.
#pragma once

#include <memory>
#include <string>

#include "apps/crud/store.h"

namespace crud {

// Makes the file, and the table in it, if they are not there yet. ":memory:" is kept nowhere. Throws StoreUnavailable.
std::unique_ptr<Store> open_sqlite(const std::string& path);

}  // namespace crud
