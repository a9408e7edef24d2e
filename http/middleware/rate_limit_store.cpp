// SPDX-License-Identifier: MIT

#include "http/middleware/rate_limit_store.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "http/message/ascii.h"
#include "http/middleware/internal/rate_limit_key.h"
#include "http/middleware/internal/token_bucket.h"
#include "http/web/problem.h"
#include "runtime/per_worker.h"

namespace volt::http {
namespace {

using middleware::TokenBuckets;

constexpr std::size_t kLimitNameBytesMax = 64;

void require_limit_name(std::string_view name) {
  const auto allowed = [](char c) {
    return message::is_alpha(c) || message::is_digit(c) || c == '_' || c == '-' || c == '.';
  };
  if (!name.empty() && name.size() <= kLimitNameBytesMax && std::ranges::all_of(name, allowed)) return;
  throw std::invalid_argument("rate_limit: name must be 1 to 64 letters, digits, '_', '-' and '.', but is \"" +
                              std::string(name) + "\"");
}

class LimitSharedRate {
 public:
  LimitSharedRate(RateLimitOptions options, SharedRateLimit shared)
      : options_(std::move(options)), shared_(std::move(shared)), policy_(policy(options_, shared_.name)) {}

  Task<Response> operator()(Request& request, Next next) {
    std::string key = middleware::with_rate_limit_key(
        options_, request, [this](std::string_view client) { return shared_.name + ":" + std::string(client); });
    const RateLimit limit{.per_second = options_.per_second, .burst = options_.burst};
    const RateLimitVerdict verdict = co_await shared_.store->take(std::move(key), limit);
    if (verdict.decision == RateLimitDecision::allowed) {
      Response response = co_await next(request);
      add_fields(response, verdict);
      co_return response;
    }
    const auto retry_after = std::chrono::ceil<std::chrono::milliseconds>(verdict.retry_after);
    if (verdict.decision == RateLimitDecision::unavailable) {
      co_return unavailable().retry_after(retry_after).to_response(request.id());
    }
    Response refusal = too_many_requests(retry_after).to_response(request.id());
    add_fields(refusal, verdict);
    co_return refusal;
  }

 private:
  static std::string policy(const RateLimitOptions& options, std::string_view name) {
    const auto window_s = static_cast<std::uint64_t>(std::ceil(options.burst / options.per_second));
    return item(name, 'q', options.burst, 'w', window_s);
  }

  // An item of a structured field with two parameters (RFC 9651 section 3.3).
  static std::string item(std::string_view name, char first, std::uint64_t value, char second, std::uint64_t other) {
    std::string text = "\"";
    text.append(name).append("\";").append(1, first).append("=").append(std::to_string(value));
    return text.append(";").append(1, second).append("=").append(std::to_string(other));
  }

  // An inner limit has added its fields before: a client sees both, as elements of one list.
  void add_fields(Response& response, const RateLimitVerdict& verdict) const {
    if (!shared_.fields) return;
    const auto full_after = std::chrono::ceil<std::chrono::seconds>(verdict.full_after);
    response.add_header("RateLimit-Policy", policy_);
    response.add_header(
        "RateLimit", item(shared_.name, 'r', verdict.remaining, 't', static_cast<std::uint64_t>(full_after.count())));
  }

  RateLimitOptions options_;
  SharedRateLimit shared_;
  std::string policy_;
};

}  // namespace

class MemoryRateLimits::Buckets : public TokenBuckets {
  using TokenBuckets::TokenBuckets;
};

MemoryRateLimits::MemoryRateLimits(std::size_t entries_max)
    : buckets_(std::make_unique<Buckets>(middleware::TokenBucketOptions{.entries_max = entries_max})) {}

MemoryRateLimits::~MemoryRateLimits() = default;

Task<RateLimitVerdict> MemoryRateLimits::take(std::string key, RateLimit limit) {
  const middleware::TokenRate rate(limit.per_second, limit.burst);
  const TokenBuckets::Verdict verdict = buckets_->take(key, coarse_now(), rate);
  co_return RateLimitVerdict{.decision = verdict.allowed ? RateLimitDecision::allowed : RateLimitDecision::refused,
                             .remaining = verdict.remaining,
                             .retry_after = verdict.retry_after,
                             .full_after = verdict.full_after};
}

Middleware rate_limit(RateLimitOptions options, SharedRateLimit shared) {
  middleware::require_rate(options);
  require_limit_name(shared.name);
  if (shared.store == nullptr) throw std::invalid_argument("rate_limit: the store is null");
  return Middleware(LimitSharedRate(std::move(options), std::move(shared)));
}

}  // namespace volt::http
