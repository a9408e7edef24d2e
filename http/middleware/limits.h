// SPDX-License-Identifier: MIT

// Middleware that limits the cost of requests: their time, bytes, rate and concurrency.
//
//   app.use(http::rate_limit({.per_second = 10, .burst = 20}), http::concurrency_limit({.running_max = 200}));
//   api.use(http::timeout(2s), http::body_limit(64_KiB));
//
// No middleware is needed to catch the exceptions of handlers: `next` never throws them, because the server has already
// turned them into responses.
//
// Threads: the factories are called while the app is built. The middleware may run on any worker.
// Errors: the responses are problems (RFC 9457); 429 and 503 have Retry-After. The factories throw
// std::invalid_argument for invalid options.
// Cost: each middleware costs one coroutine frame per request. In addition, timeout() spawns a task; rate_limit() takes
// a lock for a short time and, without a key function, determines the client's address; concurrency_limit() takes a
// lock for a short time, and sets a timer for a request that has to wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "http/web/middleware.h"

namespace volt::http {

// Responds 503 if the response is not composed within `limit`. The inner middleware and the handler are then cancelled
// and awaited, so that neither continues to run. A handler that computes, or that waits for anything but an operation
// of the runtime, is not interrupted. The body of a streamed response has limits of its own: ServerOptions.
[[nodiscard]] Middleware timeout(std::chrono::nanoseconds limit);

// Responds 413 for a body of more than `bytes_max` bytes. A body with a Content-Length is refused before it is read,
// any other body as soon as it exceeds the limit. Replaces the server's limit, which may be lower; of several
// body_limit()s the strictest applies. Counts decoded bytes if it runs after decompress().
[[nodiscard]] Middleware body_limit(std::uint64_t bytes_max);

struct RateLimitOptions {
  double per_second = 10;    // sustained rate of each client; above 0
  std::uint32_t burst = 20;  // requests at once after a pause; at least 1
  // Returns the key of the client to which a request is charged. By default the key is the client's address
  // (http/middleware/client_address.h); of an IPv6 address only the first 64 bits, because one client usually has all
  // addresses with those bits. All clients without an address, as on a unix socket, share one key.
  std::function<std::string(const Request&)> key = {};
  std::size_t entries_max = 65536;  // clients remembered, 16 bytes each; of more, the least active is forgotten
};

// Responds 429 to a client that sends requests too often, with the time to wait in Retry-After (RFC 6585 section 4).
[[nodiscard]] Middleware rate_limit(RateLimitOptions options = {});

struct ConcurrencyLimitOptions {
  std::size_t running_max = 256;  // requests that run at once; at least 1
  std::size_t waiting_max = 256;  // requests that wait for a running request to finish, in order of arrival
  std::chrono::milliseconds wait_max = std::chrono::milliseconds(500);  // a request that has waited longer is refused
  std::chrono::milliseconds retry_after = std::chrono::seconds(1);      // Retry-After of refused requests
};

// Responds 503 at once if too many requests run and wait already: an overloaded service that serves some requests in
// time and refuses others at once is better than one that serves all too late. A request whose streamed body is being
// sent no longer counts as running.
[[nodiscard]] Middleware concurrency_limit(ConcurrencyLimitOptions options = {});

}  // namespace volt::http
