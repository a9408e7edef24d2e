// The routes that ask a database.
#pragma once

#include <http/server/app.h>

// /db and /queries?queries=N, over the PostgreSQL of DATABASE_URL; none if that is not set.
void add_database(volt::http::App& app);
