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

namespace board {

struct Post {
  std::int64_t id = 0;
  std::string author;
  std::string text;
  std::optional<std::string> upload;  // its digest
};

// Adds /posts. `members` refuses writers who are not logged in; `limit` is for writing.
void add_posts(volt::http::App& app, const std::shared_ptr<volt::http::ResponseCache>& pages,
               volt::http::Middleware members, volt::http::Middleware limit);

}  // namespace board
