// SPDX-License-Identifier: MIT

// Shows browsers the errors of the last build while a program is developed (development.build_errors). volt-watch,
// which builds a program and restarts it after each change, writes them to a file as long as the last change does not
// run.
//
//   GET /shop                   500 with a page of the errors, which reloads itself when they are gone
//   Accept: text/html
//
//   GET /api/items              the response of the program that is still running
//   Accept: application/json
//
// The page is for requests that name text/html in Accept, as browsers do for a page that a user opens; `*/*` alone does
// not count. It loads nothing from elsewhere, and needs a script only to notice at once that the errors are gone: its
// script requests the address of the page with the field Volt-Build-Errors, whose value names the errors that it shows.
// Without scripts the page reloads every two seconds.
//
// Threads: the factory is called while the app is built. The middleware runs on any worker.
// Cost: one attempt to open the file for each request that accepts text/html, on a thread of the blocking pool.
// Errors: none. If the file cannot be read, the page says why.
// Bounds: the page has at most the first kBuildErrorsBytesMax bytes of the file.
// Source: RFC 9110 section 12.5.1 (Accept).
#pragma once

#include <cstddef>
#include <string>

#include "http/web/middleware.h"

namespace volt::config {

inline constexpr std::size_t kBuildErrorsBytesMax = std::size_t{256} * 1024;

// Returns the middleware for `file`. The last build has no errors if the file does not exist, or is empty.
[[nodiscard]] http::Middleware show_build_errors(std::string file);

}  // namespace volt::config
