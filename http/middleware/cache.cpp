// SPDX-License-Identifier: MIT

#include "http/middleware/cache.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "http/middleware/internal/cache_key.h"
#include "http/middleware/internal/cache_policy.h"
#include "http/middleware/internal/conditional_response.h"
#include "http/middleware/internal/field_lines.h"
#include "http/middleware/internal/learned_keys.h"
#include "http/middleware/internal/safe_method.h"
#include "http/web/problem.h"
#include "runtime/base/atomic.h"
#include "runtime/cancel.h"
#include "runtime/deadline.h"
#include "runtime/logger.h"
#include "runtime/metric_sink.h"
#include "runtime/single_flight.h"

namespace volt::http {
namespace {

using middleware::Freshness;
using middleware::NotStored;
using CachedPointer = std::shared_ptr<const CachedResponse>;

constexpr Logger kCacheLog("http_cache");

// The result of a flight.
struct MadeResponse {
  CachedPointer response;      // null: it is not kept
  std::uint64_t sequence = 0;  // of the look-up before it was made
};
using CacheFlights = SingleFlight<std::string, MadeResponse>;

constexpr std::size_t kVaryLearnedMax = 16;  // names of one key; with more, its responses are passed through

enum class CacheOutcome : std::uint8_t { hit, stale, miss, shared, pass };
constexpr std::array<std::string_view, 5> kOutcomeNames = {"hit", "stale", "miss", "shared", "pass"};

Response from_cache(const Request& request, const CachedResponse& cached, std::chrono::nanoseconds since_save) {
  Response response(cached.status);
  response.replace_body(cached.body);
  if (!cached.content_type.empty()) response.header("Content-Type", cached.content_type);
  middleware::for_each_field(cached.fields,
                             [&](std::string_view name, std::string_view value) { response.add_header(name, value); });
  const auto age = cached.age + std::chrono::floor<std::chrono::seconds>(since_save);
  response.header("Age", std::to_string(age.count()));
  if (cached.status != Status::ok) return response;
  return middleware::evaluate_conditions(request, std::move(response));
}

}  // namespace

class ResponseCache::Core {
 public:
  explicit Core(ResponseCacheOptions options) : options_(std::move(options)) {
    if (options_.store == nullptr) options_.store = std::make_shared<MemoryCacheStore>();
  }

  Task<> remove(const std::string& tag) { return options_.store->remove(middleware::canonical_path(tag)); }

  Task<Response> respond(Request& request, Next next) {
    const message::CacheControl control = middleware::cache_control_of(request);
    if (!middleware::cacheable_request(request, control)) co_return co_await pass(request, next);
    std::string uri = uri_of(request);
    middleware::Learned learned = learned_.of(uri);
    std::string vary = middleware::vary_key(request, learned.vary_names);
    const std::string key = uri + "\n" + vary;
    CacheStore::Lookup found = co_await options_.store->load(key);
    const bool refresh = options_.client_may_refresh && control.no_cache;
    const Freshness freshness =
        found.response != nullptr ? middleware::freshness_at(*found.response, found.since_save) : Freshness::expired;
    if (freshness == Freshness::fresh && !refresh) {
      count(CacheOutcome::hit);
      co_return from_cache(request, *found.response, found.since_save);
    }
    if (control.only_if_cached) co_return Problem(Status::gateway_timeout).to_response(request.id());
    if (freshness == Freshness::stale_while_revalidate && flights_.in_flight(key)) {
      count(CacheOutcome::stale);
      co_return from_cache(request, *found.response, found.since_save);
    }
    const bool alone = request.method() == Method::head || request.headers().contains("authorization") ||
                       (learned.pass_until && !learned.pass_until->passed());
    if (alone) co_return co_await run(request, next, uri, found, freshness, nullptr);
    co_return co_await run_once(request, next, uri, key, found, freshness);
  }

  void report(MetricSink& sink) const {
    for (std::size_t i = 0; i != counts_.size(); ++i) {
      sink.counter("volt_http_cache_requests_total", "Requests to a cache of responses.",
                   {{"cache", options_.name}, {"outcome", kOutcomeNames[i]}},
                   counts_[i].load(base::relaxed));  // relaxed: a count
    }
    options_.store->report_metrics(sink, options_.name);
  }

 private:
  void count(CacheOutcome outcome) noexcept {
    counts_[static_cast<std::size_t>(outcome)].fetch_add(1, base::relaxed);  // relaxed: a count
  }

  std::string uri_of(const Request& request) const {
    std::string uri = middleware::uri_key(request, options_.query);
    if (options_.key) uri.append("\n").append(options_.key(request));
    return uri;
  }

  Task<Response> pass(Request& request, Next next) {
    const bool changes = !middleware::is_safe(request.method());
    const std::string path = changes ? middleware::canonical_path(request.path()) : std::string();
    Response response = co_await next(request);
    if (changes && code(response.status()) < 400) co_await invalidate(path);
    response.remove_header("Cache-Tag");
    if (!changes) count(CacheOutcome::pass);
    co_return response;
  }

  // The request has succeeded, so a store that is away must not turn its response into an error.
  Task<> invalidate(const std::string& path) {
    try {
      co_await options_.store->remove(path);
    } catch (const Cancelled&) {
      throw;
    } catch (const std::exception& error) {  // decided: the old responses are used until their lifetime ends
      kCacheLog(LogLevel::error, "could not invalidate cached responses", {{"path", path}, {"error", error.what()}});
    }
  }

  // Joins the flight of the key: another request may be running the handler.
  Task<Response> run_once(Request& request, Next next, const std::string& uri, const std::string& key,
                          const CacheStore::Lookup& found, Freshness freshness) {
    Result<CacheFlights::Turn> turn = co_await flights_.join(key, options_.wait_max);
    if (!turn) co_return co_await run(request, next, uri, found, freshness, nullptr);
    const MadeResponse* made = turn->value();
    if (made == nullptr) co_return co_await run(request, next, uri, found, freshness, &*turn);
    CacheStore::Lookup shared{.response = made->response};
    // Something was removed after that response was begun, and before this request came: the store knows whether the
    // response is among it.
    if (made->sequence != found.sequence) shared = co_await options_.store->load(key);
    // The response may vary on fields in which this request differs from the one that was answered.
    const bool usable = shared.response != nullptr &&
                        middleware::freshness_at(*shared.response, shared.since_save) == Freshness::fresh &&
                        shared.response->vary == middleware::vary_key(request, learned_.of(uri).vary_names);
    if (!usable) co_return co_await run(request, next, uri, found, freshness, nullptr);
    count(CacheOutcome::shared);
    co_return from_cache(request, *shared.response, shared.since_save);
  }

  // Runs the handler, and keeps its response if that is allowed. `turn`: if not null, of the flight that this leads.
  Task<Response> run(Request& request, Next next, const std::string& uri, const CacheStore::Lookup& found,
                     Freshness freshness, CacheFlights::Turn* turn) {
    Response response = co_await next(request);
    auto kept = middleware::storable(request, response,
                                     {.body_bytes_max = options_.body_bytes_max, .default_age = options_.default_age});
    response.remove_header("Cache-Tag");
    if (!kept) {
      const bool may_replace = freshness != Freshness::expired && freshness != Freshness::fresh;
      if (kept.error() == NotStored::failed && may_replace) {
        count(CacheOutcome::stale);
        co_return from_cache(request, *found.response, found.since_save);
      }
      // Requests without a turn say nothing about others: a client could end the sharing with an Authorization field.
      if (kept.error() == NotStored::is_private && turn != nullptr) {
        learned_.pass(uri, options_.pass_for);
        turn->settle({});
      }
      count(CacheOutcome::pass);
      co_return response;
    }
    count(CacheOutcome::miss);
    if (request.method() == Method::head) co_return response;  // without the body that GET would have
    const std::vector<std::string> names = learned_.vary_on(uri, kept->vary_names);
    if (names.size() > kVaryLearnedMax) {
      if (turn != nullptr) turn->settle({});
      co_return response;
    }
    CachedResponse cached = std::move(kept->response);
    cached.body = response.body();
    cached.vary = middleware::vary_key(request, names);
    const std::string key = uri + "\n" + cached.vary;
    const auto saved = std::make_shared<const CachedResponse>(std::move(cached));
    co_await options_.store->save(key, saved, found.sequence);
    if (turn != nullptr) turn->settle({.response = saved, .sequence = found.sequence});
    if (response.status() != Status::ok) co_return response;
    co_return middleware::evaluate_conditions(request, std::move(response));
  }

  ResponseCacheOptions options_;
  middleware::LearnedKeys learned_;
  CacheFlights flights_;
  std::array<base::Atomic<std::uint64_t>, kOutcomeNames.size()> counts_{};
};

ResponseCache::ResponseCache(ResponseCacheOptions options) : core_(std::make_unique<Core>(std::move(options))) {}

ResponseCache::~ResponseCache() = default;

Task<> ResponseCache::remove(std::string tag) { return core_->remove(tag); }

void ResponseCache::report_metrics(MetricSink& sink) const { core_->report(sink); }

Middleware cache(std::shared_ptr<ResponseCache> cache) {
  if (cache == nullptr) throw std::invalid_argument("cache: the cache is null");
  return Middleware(
      [cache = std::move(cache)](Request& request, Next next) { return cache->core_->respond(request, next); });
}

Middleware cache(ResponseCacheOptions options) { return cache(std::make_shared<ResponseCache>(std::move(options))); }

}  // namespace volt::http
