// SPDX-License-Identifier: MIT

// A shared cache of responses in front of handlers (RFC 9111). A handler says with Cache-Control how long its response
// may be used; the next requests for the same URI then get it without a call of the handler.
//
//   const auto pages = std::make_shared<http::ResponseCache>();
//   app.state(pages);                                    // for handlers that remove responses, and for the metrics
//   app.use(http::cache(pages));
//   app.get("/items/{id}", [](Path<int> id, State<Db> db) -> Task<Response> {
//     Item item = co_await db->find(*id);
//     co_return Response::json(http::to_json(item)).header("Cache-Control", "public, max-age=60")
//                                                  .header("Cache-Tag", "items");
//   });
//   co_await pages->remove("/items/7");                  // a path
//   co_await pages->remove("items");                     // a tag: all responses with it
//
// Order: inner middleware and the handler do not run for a cached response. List cache() after authentication and rate
// limits. If compress() is listed before it, the cache keeps the plain form, which is compressed each time; if after
// it, one compressed form for each set of codings that clients accept.
//
// Kept are complete responses to GET with an explicit lifetime (s-maxage, max-age or Expires), to 200, 203, 204, 300,
// 301, 302, 307, 308, 404 and 410. Never: no-store, private, no-cache, Set-Cookie, `Vary: *`, streamed responses, those
// to a request with Authorization that are not marked public, s-maxage or must-revalidate, and those to `no-store`.
// Requests with Range go to the handler. The key is scheme, host, path and query, and the values of the fields that
// Vary names. A handler whose response depends on another field must name it in Vary: otherwise a client could choose
// what others get.
//
// A cached response has an Age field, and is answered with 304 if the client has it already (ETag, Last-Modified).
//
// Misses: of several requests for one key, one runs the handler, and the others wait for its response, for at most
// wait_max; then they run the handler themselves. If the handler fails (5xx), or its client is gone, the request that
// has waited longest runs it next. A response that is not kept ends the wait of all, and its key is passed through
// without waits for pass_for.
//
// Stale: with `stale-while-revalidate=N` (RFC 5861), one request runs the handler after the lifetime, and all others
// get the old response until the new one is there. With `stale-if-error=N`, an old response replaces a 5xx. This also
// applies beside s-maxage, which section 5.2.2.10 would forbid: a handler that writes both wants both. With
// must-revalidate and proxy-revalidate no old response is used.
//
// Invalidation: a successful request with another method than GET, HEAD, OPTIONS and TRACE removes the responses of its
// path (section 4.4). A response that was being made when its tag was removed is not kept.
//
// Threads: the factories are called while the app is built; the middleware, remove() and report_metrics() run on any
// thread, remove() in a task. Lifetime: shared by the app and by handlers.
// Errors: the constructors throw std::invalid_argument. remove() throws what the store throws.
// Cost: two coroutine frames per request, one lock for the look-up, and a copy of the body for each response from it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/middleware/cache_store.h"
#include "http/web/middleware.h"
#include "runtime/task.h"

namespace volt::http {

struct ResponseCacheOptions {
  std::shared_ptr<CacheStore> store = {};         // null: a MemoryCacheStore of its own
  std::size_t body_bytes_max = 1024 * 1024;       // larger bodies are not kept
  std::optional<std::vector<std::string>> query;  // names of the parameters that are part of the key; without it, all
  std::function<std::string(const Request&)> key = {};  // a further part of the key, such as the tenant
  // Lifetime of 200 responses without one, if the request has neither Cookie nor Authorization; 0: they are not kept.
  std::chrono::seconds default_age{0};
  std::chrono::milliseconds wait_max = std::chrono::seconds(5);   // for the response to another request
  std::chrono::milliseconds pass_for = std::chrono::seconds(10);  // after a response that may not be kept
  bool client_may_refresh = false;  // whether `Cache-Control: no-cache` of a request runs the handler
  std::string name = "default";     // label `cache` of the metrics
};

class ResponseCache {
 public:
  using Shareable = void;  // may be the state of an app

  explicit ResponseCache(ResponseCacheOptions options = {});
  ~ResponseCache();
  ResponseCache(const ResponseCache&) = delete;
  ResponseCache& operator=(const ResponseCache&) = delete;

  // Removes the responses with this tag, or, if it begins with '/', of this path with any query and in any spelling.
  Task<> remove(std::string tag);

  // Reports volt_http_cache_requests_total by outcome (hit, stale, miss, shared, pass), and the metrics of the store. A
  // cache that the app owns as state reports by itself; for others: `app.metrics().add(cache)`.
  void report_metrics(MetricSink& sink) const;

 private:
  friend Middleware cache(std::shared_ptr<ResponseCache> cache);
  class Core;
  const std::unique_ptr<Core> core_;
};

[[nodiscard]] Middleware cache(std::shared_ptr<ResponseCache> cache);
[[nodiscard]] Middleware cache(ResponseCacheOptions options = {});

}  // namespace volt::http
