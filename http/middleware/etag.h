// SPDX-License-Identifier: MIT

// Middleware for conditional requests: adds an entity tag to responses, and responds 304 to clients that have the tag.
//
//   app.use(http::compress(), http::etag());  // etag() tags the plain form; compress() adapts the tag
//
// A 304 saves sending the body, but the handler still composes the body. A handler that knows a version number of its
// content should set ETag itself, which saves the hash. The middleware then evaluates conditions for streamed responses
// as well.
//
// Threads: the factory is called while the app is built. The middleware may run on any worker.
// Cost: one coroutine frame per request, and SHA-256 of the body.
// Source: RFC 9110 sections 8.8.3, 13.1, 13.2.2.
#pragma once

#include <cstddef>

#include "http/web/middleware.h"

namespace volt::http {

struct EtagOptions {
  std::size_t bytes_max = 1024 * 1024;  // larger bodies get no tag: hashing them would block a worker too long
};

// Applies to 200 responses to GET and HEAD. The tag is strong: equal bytes have equal tags on every server.
[[nodiscard]] Middleware etag(EtagOptions options = {});

}  // namespace volt::http
