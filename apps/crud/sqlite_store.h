// SPDX-License-Identifier: MIT

// A store in a SQLite file, or in memory, in the table `items`.
#pragma once

#include <memory>
#include <string>

#include "apps/crud/store.h"

namespace crud {

// Creates the file if it does not exist. ":memory:" is a database in memory. Throws StoreUnavailable.
std::unique_ptr<Store> open_sqlite(const std::string& path);

}  // namespace crud
