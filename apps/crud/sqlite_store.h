// SPDX-License-Identifier: MIT

// A store in a SQLite file, or in memory. Its queries run on the blocking pool, one at a time, in the order of arrival.
#pragma once

#include <memory>
#include <string>

#include "apps/crud/store.h"

namespace crud {

// Creates the file and its table if they do not exist. ":memory:" is a database in memory. Throws StoreUnavailable.
std::unique_ptr<Store> open_sqlite(const std::string& path);

}  // namespace crud
