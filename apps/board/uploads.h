// SPDX-License-Identifier: MIT

// Uploads: named by the digest of their content, and each one row of the database. So a repeated upload changes
// nothing, a response may be cached forever, and there is no half of an upload. Rejected: files, which other replicas
// do not have. For content larger than a few MiB use an object store, or a row for each piece.
//
// Threads: any. Memory: an upload in progress is in memory as a whole; at most 8 are received at a time.
#pragma once

#include <http/http.h>

#include "apps/board/access.h"

namespace board {

// Adds /uploads.
void add_uploads(volt::http::App& app, const Access& access);

}  // namespace board
