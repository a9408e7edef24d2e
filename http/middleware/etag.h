// Middleware that tells clients what they have already: answers get an entity tag, and 304 where the client names it.
//
//   app.use(http::compress(), http::etag());   // the tag is of the plain form; compress() makes it that of the coded
//
// The answer is made all the same: what is saved is sending it. A handler that knows a version number sets ETag itself,
// and saves the hash; conditions are then looked at here too, for streamed answers as well.
//
// Threads: a factory, called while the app is built. What it makes may run on any worker.
// Cost: one coroutine frame a request, and SHA-256 of the body.
// Source: RFC 9110 sections 8.8.3, 13.1, 13.2.2.
#pragma once

#include <cstddef>

#include "http/web/middleware.h"

namespace volt::http {

struct EtagOptions {
  std::size_t bytes_max = 1024 * 1024;  // larger bodies get no tag: hashing them would keep a worker too long
};

// Of 200 to GET and HEAD. The tag is strong: the same bytes have it on every server, others do not.
[[nodiscard]] Middleware etag(EtagOptions options = {});

}  // namespace volt::http
