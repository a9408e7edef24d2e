// The profiles with a database: a range of items, and items that are listed, read, made and changed.
#pragma once

#include <http/server/app.h>
#include <pg/pool.h>

namespace arena {

// /async-db and /crud/items. Whoever reads an item again within 200 ms gets it without asking the database.
void add_items(volt::http::App& app, volt::pg::Pool db);

}  // namespace arena
