// Middleware that bounds what a request may cost: time, bytes, how often, how many at once.
//
//   app.use(http::rate_limit({.per_second = 10, .burst = 20}), http::concurrency_limit({.running_max = 200}));
//   api.use(http::timeout(2s), http::body_limit(64_KiB));
//
// A handler that throws needs no middleware: whatever is thrown has become an answer when `next` returns, so every
// middleware is a panic barrier for what is further in, and the server for all of them.
//
// Threads: factories, called while the app is built. What they make may run on any worker.
// Errors: the answers are problems (RFC 9457); 429 and 503 have Retry-After. Factories throw std::invalid_argument for
// options that make no sense.
// Cost: each one coroutine frame a request. timeout() a task besides; rate_limit() the client's address, if no key is
// given, and a short lock; concurrency_limit() a short lock, and a task for a request that has to wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "http/web/middleware.h"

namespace volt::http {

// 503 if the answer is not composed in time: what is further in is cancelled, and awaited, so that nothing of it runs
// on. A handler that waits for something other than the runtime, or computes, is not interrupted. The body of an answer
// that is streamed has its own limits: ServerOptions.
[[nodiscard]] Middleware timeout(std::chrono::nanoseconds limit);

// 413 for a body of more bytes: by its Content-Length before anything is read, else once it has become that long. It
// counts instead of the server's limit, and may allow more; of several, the strictest counts. Inside decompress() it
// counts decoded bytes.
[[nodiscard]] Middleware body_limit(std::uint64_t bytes_max);

struct RateLimitOptions {
  double per_second = 10;    // requests that each client may go on with; above 0
  std::uint32_t burst = 20;  // and at once, after a pause; at least 1
  // Whom a request counts for. Empty: the client's address (http/middleware/client_address.h); of IPv6 its first 64 bits, which is
  // what one client has. Clients without an address, as on a unix socket, then count as one.
  std::function<std::string(const Request&)> key = {};
  std::size_t entries_max = 65536;  // clients remembered, 16 bytes each: beyond it the least active is forgotten
};

// 429 for a client that asks too often, with the time after which it may (RFC 6585 section 4).
[[nodiscard]] Middleware rate_limit(RateLimitOptions options = {});

struct ConcurrencyLimitOptions {
  std::size_t running_max = 256;  // requests further in at a time; at least 1
  std::size_t waiting_max = 256;  // for one of these to be done, in the order in which they came
  std::chrono::milliseconds wait_max = std::chrono::milliseconds(500);  // a client that has waited longer is refused
  std::chrono::milliseconds retry_after = std::chrono::seconds(1);      // what those are told who are refused
};

// 503 at once where too many run and wait already: an overloaded service that answers some in time, and others at once,
// is better than one that answers all too late. A streamed body is sent outside the limit.
[[nodiscard]] Middleware concurrency_limit(ConcurrencyLimitOptions options = {});

}  // namespace volt::http
