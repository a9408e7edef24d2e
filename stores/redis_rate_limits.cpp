// SPDX-License-Identifier: MIT

#include "stores/redis_rate_limits.h"

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "crypto/base64.h"
#include "crypto/digest.h"
#include "redis/error.h"
#include "runtime/metric_sink.h"
#include "stores/internal/availability.h"

namespace volt::stores {
namespace {

using http::RateLimit;
using http::RateLimitDecision;
using http::RateLimitVerdict;

// Takes one token. KEYS[1] is the time at which the bucket is full, in microseconds; ARGV[1] the time in which a token
// is regained, ARGV[2] that of all tokens. Returns whether there was a token, the tokens left, the time until there is
// one, and the time until the bucket is full. Numbers of Lua have 53 bits, enough for microseconds until the year 2255.
constexpr const char* kTake = R"(
local clock = redis.call('time')
local now = clock[1] * 1000000 + clock[2]
local token, full = tonumber(ARGV[1]), tonumber(ARGV[2])
local before = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now)
local over = before + token - now - full
if over > 0 then
  return {0, math.floor(math.max(0, full - (before - now)) / token), math.ceil(over), math.ceil(before - now)}
end
local after = before + token
redis.call('set', KEYS[1], string.format('%.1f', after), 'px', math.ceil((after - now) / 1000))
return {1, math.floor((full - (after - now)) / token), 0, math.ceil(after - now)})";

// Digests of 128 bits: no client finds two keys that share a bucket.
std::string key_in_redis(std::string_view prefix, std::string_view key) {
  constexpr std::size_t kDigestBytes = 16;
  const std::size_t name_end = key.find(':');
  const crypto::Sha256 digest = crypto::sha256(key.substr(name_end + 1));
  std::string name(prefix);
  name.append("{").append(key.substr(0, name_end + 1));
  return name.append(crypto::base64url_encode(std::span(digest).first<kDigestBytes>())).append("}");
}

constexpr double kAlmostAYear_s = 364 * 86'400.0;

std::string consequence_of(OnRedisFailure failure) {
  switch (failure) {
    case OnRedisFailure::count_locally:
      return "rate limits are counted in this process";
    case OnRedisFailure::allow:
      return "rate limits are not applied";
    case OnRedisFailure::refuse:
      return "requests with a rate limit are refused";
  }
  std::unreachable();
}

}  // namespace

RedisRateLimits::RedisRateLimits(redis::Pool redis, RedisRateLimitOptions options)
    : redis_(std::move(redis)),
      options_(std::move(options)),
      script_(kTake),
      availability_(std::make_unique<Availability>(options_.retry_after, consequence_of(options_.on_failure))),
      local_(options_.local_entries_max) {
  if (options_.replicas == 0) throw std::invalid_argument("RedisRateLimits: replicas must be at least 1");
  if (options_.timeout.count() <= 0 || options_.retry_after.count() <= 0) {
    throw std::invalid_argument("RedisRateLimits: timeout and retry_after must be positive");
  }
}

RedisRateLimits::~RedisRateLimits() = default;

Task<RateLimitVerdict> RedisRateLimits::take(std::string key, RateLimit limit) {
  const std::optional<RateLimitVerdict> verdict =
      co_await attempt(*availability_, options_.timeout, [&] { return ask(key, limit); });
  if (verdict) co_return *verdict;
  co_return co_await decide_without(std::move(key), limit);
}

Task<RateLimitVerdict> RedisRateLimits::ask(std::string key, RateLimit limit) {
  const double token_us = 1e6 / limit.per_second;
  const std::vector<std::string> keys{key_in_redis(options_.prefix, key)};
  const redis::Reply reply = co_await redis_.eval(script_, keys, token_us, token_us * limit.burst);
  const auto fields = reply.to<std::vector<std::int64_t>>();
  if (fields.size() != 4) throw redis::DecodeError("the script of rate limits returned another number of values");
  co_return RateLimitVerdict{.decision = fields[0] == 1 ? RateLimitDecision::allowed : RateLimitDecision::refused,
                             .remaining = static_cast<std::uint32_t>(fields[1]),
                             .retry_after = std::chrono::microseconds(fields[2]),
                             .full_after = std::chrono::microseconds(fields[3])};
}

Task<RateLimitVerdict> RedisRateLimits::decide_without(std::string key, RateLimit limit) {
  switch (options_.on_failure) {
    case OnRedisFailure::count_locally:
      limit.burst = std::max(1U, limit.burst / options_.replicas);
      // A burst of 1 cannot be divided: it must still be regained within a year, as RateLimit requires.
      limit.per_second = std::max(limit.per_second / options_.replicas, limit.burst / kAlmostAYear_s);
      break;
    case OnRedisFailure::allow:
      co_return RateLimitVerdict{.remaining = limit.burst};
    case OnRedisFailure::refuse:
      co_return RateLimitVerdict{.decision = RateLimitDecision::unavailable, .retry_after = options_.retry_after};
  }
  co_return co_await local_.take(std::move(key), limit);
}

void RedisRateLimits::report_metrics(MetricSink& sink) const {
  sink.gauge("volt_rate_limit_store_available", "Whether rate limits are counted in the shared store.",
             {{"store", "redis"}}, availability_->available() ? 1 : 0);
  sink.counter("volt_rate_limit_store_fallbacks_total", "Requests whose rate limit was decided without the store.",
               {{"store", "redis"}}, availability_->fallbacks());
}

}  // namespace volt::stores
