// SPDX-License-Identifier: MIT

#include <memory>
#include <stdexcept>
#include <utility>

#include "http/middleware/internal/rate_limit_key.h"
#include "http/middleware/internal/token_bucket.h"
#include "http/middleware/limits.h"
#include "http/web/problem.h"
#include "runtime/per_worker.h"

namespace volt::http {
namespace middleware {

void require_rate(const RateLimitOptions& options) {
  if (is_token_rate(options.per_second, options.burst)) return;
  throw std::invalid_argument(
      "rate_limit: per_second must be above 0, burst at least 1, and burst / per_second at most a year");
}

}  // namespace middleware

namespace {

using middleware::TokenBuckets;

class LimitRate {
 public:
  LimitRate(RateLimitOptions options, std::unique_ptr<TokenBuckets> buckets)
      : options_(std::move(options)), buckets_(std::move(buckets)) {}

  Task<Response> operator()(Request& request, Next next) {
    const TokenBuckets::Verdict verdict = middleware::with_rate_limit_key(
        options_, request, [this](std::string_view key) { return buckets_->take(key, coarse_now()); });
    if (verdict.allowed) co_return co_await next(request);
    const auto retry_after = std::chrono::ceil<std::chrono::milliseconds>(verdict.retry_after);
    co_return too_many_requests(retry_after).to_response(request.id());
  }

 private:
  RateLimitOptions options_;
  std::unique_ptr<TokenBuckets> buckets_;
};

}  // namespace

Middleware rate_limit(RateLimitOptions options) {
  middleware::require_rate(options);
  auto buckets = std::make_unique<TokenBuckets>(middleware::TokenBucketOptions{
      .rate_per_second = options.per_second, .burst = options.burst, .entries_max = options.entries_max});
  Middleware middleware(LimitRate(std::move(options), std::move(buckets)));
  return std::move(middleware.refuses(Status::too_many_requests));
}

}  // namespace volt::http
