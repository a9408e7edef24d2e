// SPDX-License-Identifier: MIT

// The profiles that use the database: a range query, and routes to list, read, create and change items.
#pragma once

#include <http/server/app.h>
#include <pg/pool.h>

namespace arena {

// Adds /async-db and /crud/items. An item that is read again within 200 ms comes from ItemCache.
void add_items(volt::http::App& app, volt::pg::Pool db);

}  // namespace arena
