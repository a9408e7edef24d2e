// A store in a PostgreSQL database, in the table `items`.
#pragma once

#include <pg/options.h>

#include <memory>

#include "apps/crud/store.h"

namespace crud {

// Connects when it is first asked, and makes the table then, if it is not there yet.
std::unique_ptr<Store> open_postgres(volt::pg::PoolOptions options);

}  // namespace crud
