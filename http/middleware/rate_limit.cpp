// SPDX-License-Identifier: MIT

#include <memory>
#include <stdexcept>
#include <utility>

#include "http/middleware/client_address.h"
#include "http/middleware/internal/token_bucket.h"
#include "http/middleware/limits.h"
#include "http/web/problem.h"
#include "runtime/per_worker.h"

namespace volt::http {
namespace {

using middleware::TokenBuckets;

class LimitRate {
 public:
  LimitRate(RateLimitOptions options, std::unique_ptr<TokenBuckets> buckets)
      : options_(std::move(options)), buckets_(std::move(buckets)) {}

  Task<Response> operator()(Request& request, Next next) {
    const TokenBuckets::Verdict verdict =
        options_.key ? take(options_.key(request)) : take(ClientAddress::from(request));
    if (verdict.allowed) co_return co_await next(request);
    const auto retry_after = std::chrono::ceil<std::chrono::milliseconds>(verdict.retry_after);
    co_return too_many_requests(retry_after).to_response(request.id());
  }

 private:
  TokenBuckets::Verdict take(std::string_view key) { return buckets_->take(key, coarse_now()); }

  TokenBuckets::Verdict take(const ClientAddress& client) {
    constexpr std::size_t kSubnetBytes = 8;
    if (!client.ip()) return take(std::string_view());
    const auto& bytes = client.ip()->bytes();
    return take({reinterpret_cast<const char*>(bytes.data()), client.ip()->is_v4() ? bytes.size() : kSubnetBytes});
  }

  RateLimitOptions options_;
  std::unique_ptr<TokenBuckets> buckets_;
};

}  // namespace

Middleware rate_limit(RateLimitOptions options) {
  constexpr double kFullSecondsMax = 365 * 86'400.0;  // the limit of TokenBuckets
  if (!(options.per_second > 0) || options.burst < 1 || options.burst / options.per_second > kFullSecondsMax) {
    throw std::invalid_argument(
        "rate_limit: per_second must be above 0, burst at least 1, and burst / per_second at most a year");
  }
  auto buckets = std::make_unique<TokenBuckets>(middleware::TokenBucketOptions{
      .rate_per_second = options.per_second, .burst = options.burst, .entries_max = options.entries_max});
  Middleware middleware(LimitRate(std::move(options), std::move(buckets)));
  return std::move(middleware.refuses(Status::too_many_requests));
}

}  // namespace volt::http
