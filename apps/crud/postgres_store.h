// SPDX-License-Identifier: MIT

// A store in a PostgreSQL database, in the table `items`.
#pragma once

#include <pg/options.h>

#include <memory>

#include "apps/crud/store.h"

namespace crud {

// Returns a store that connects at its first query, and then creates the table if it does not exist.
std::unique_ptr<Store> open_postgres(volt::pg::PoolOptions options);

}  // namespace crud
