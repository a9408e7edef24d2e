// SPDX-License-Identifier: MIT

// Posts: written once for each idempotency key, and listed through a cache of responses that the replicas share.
//
// Threads: any.
#pragma once

#include <http/http.h>
#include <http/middleware/cache.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "apps/board/access.h"

namespace board {

struct Post {
  std::int64_t id = 0;
  std::string author;
  std::string text;
  std::optional<std::string> upload;  // its digest
};

// Adds /posts. `limit` is for each writer.
void add_posts(volt::http::App& app, const Access& access, const std::shared_ptr<volt::http::ResponseCache>& pages,
               volt::http::Middleware limit);

}  // namespace board
