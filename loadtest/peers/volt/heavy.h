// SPDX-License-Identifier: MIT

// The routes that heavy.py and the scenario `skew` request.
#pragma once

#include <http/server/app.h>

// Adds /healthz, and the routes whose handlers compute or block their thread: /work?us=N, /steps?count=N, /block?us=N,
// /mutex?us=N; /cold if COLD_FILE names a file; /pg_sleep?us=N if LIBPQ_URL names a database.
void add_heavy(volt::http::App& app);
