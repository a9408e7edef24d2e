// SPDX-License-Identifier: MIT

// Checks: finds out whether the address of a new link is safe, by asking another service.
//
// Each check is a job in the database: if the other service fails, or this one ends, the check is done later.
#pragma once

#include <http/http.h>
#include <sqlite/sqlite.h>

#include <functional>
#include <string>

#include "apps/links/links.h"

namespace links {

// Returns whether an address is safe. Throws if that cannot be found out now.
using Checker = std::function<Task<bool>(std::string url)>;

// The service at `address`, which responds to POST {"url": ..} with {"safe": true} or {"safe": false}. If `address` is
// empty, all addresses are safe.
[[nodiscard]] Checker checker_at(const std::string& address);

[[nodiscard]] volt::sqlite::JobQueue check_queue(const volt::sqlite::Pool& db);

// Makes the app do the jobs of the queue.
void add_checks(volt::http::App& app, const volt::sqlite::JobQueue& queue, const Links& links, Checker checker);

}  // namespace links
