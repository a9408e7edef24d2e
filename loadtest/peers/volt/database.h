// SPDX-License-Identifier: MIT

// The routes of the database scenarios.
#pragma once

#include <http/server/app.h>

// Adds /db and /queries?queries=N over the PostgreSQL of DATABASE_URL, or nothing if it is not set.
void add_database(volt::http::App& app);
