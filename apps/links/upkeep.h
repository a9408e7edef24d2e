// SPDX-License-Identifier: MIT

// Upkeep: removes old files every hour, and reports whether the database responds.
#pragma once

#include <http/http.h>
#include <sqlite/sqlite.h>

#include <chrono>

#include "apps/links/files.h"

namespace links {

void add_upkeep(volt::http::App& app, const volt::sqlite::Pool& db, const Files& files, std::chrono::hours keep);

}  // namespace links
