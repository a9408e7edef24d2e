// SPDX-License-Identifier: MIT

#include "http/middleware/internal/token_bucket.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "runtime/base/check.h"

namespace volt::http::middleware {
namespace {

constexpr std::size_t kShards = 64;

// A year in nanoseconds; bounds all sums of times, so that none overflows.
constexpr double kFullTimeMax = 365 * 86'400e9;

// Returns 0 if the clock went back to a time before the bucket was emptied.
std::uint32_t tokens_left(std::int64_t full_at, std::int64_t now, const TokenRate& rate) noexcept {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(0, rate.full_time - (full_at - now)) / rate.token_time);
}

}  // namespace

bool is_token_rate(double per_second, std::uint32_t burst) noexcept {
  return per_second > 0 && burst >= 1 && std::max(1e9 / per_second, 1.0) * burst <= kFullTimeMax;
}

TokenRate::TokenRate(double per_second, std::uint32_t burst) {
  VOLT_CHECK(is_token_rate(per_second, burst));
  token_time = std::llround(std::max(1e9 / per_second, 1.0));
  full_time = token_time * burst;
}

TokenBuckets::TokenBuckets(const TokenBucketOptions& options) : rate_(options.rate_per_second, options.burst) {
  const std::size_t entries = std::bit_ceil(std::max(options.entries_max, kShards * kWays));
  for (std::size_t i = 0; i < kShards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
    shards_.back()->buckets.resize(entries / kShards);
  }
}

std::size_t TokenBuckets::entries_max() const noexcept { return kShards * shards_.front()->buckets.size(); }

TokenBuckets::Verdict TokenBuckets::take(std::string_view key, std::chrono::nanoseconds now, const TokenRate& rate,
                                         std::uint32_t tokens) noexcept {
  VOLT_CHECK(rate.token_time * tokens <= rate.full_time);
  const std::uint64_t hash = crypto::keyed_hash(hash_key_, key);
  Shard& shard = *shards_[hash % kShards];
  const std::lock_guard lock(shard.mutex);
  return take_locked(bucket_of(shard, hash), now.count(), rate, tokens);
}

// Returns the key's bucket. If there is none, the fullest bucket among the key's places is replaced by a full one.
TokenBuckets::Bucket& TokenBuckets::bucket_of(Shard& shard, std::uint64_t key_hash) noexcept {
  const std::size_t sets = shard.buckets.size() / kWays;
  const auto set = std::span(shard.buckets).subspan(key_hash / kShards % sets * kWays, kWays);
  const auto own = std::ranges::find(set, key_hash, &Bucket::key_hash);
  if (own != set.end()) return *own;
  Bucket& fullest = *std::ranges::min_element(set, {}, &Bucket::full_at);
  fullest = {.key_hash = key_hash};
  return fullest;
}

TokenBuckets::Verdict TokenBuckets::take_locked(Bucket& bucket, std::int64_t now, const TokenRate& rate,
                                                std::uint32_t tokens) noexcept {
  const std::int64_t before = std::max(bucket.full_at, now);
  const std::int64_t after = before + rate.token_time * tokens;
  const std::int64_t over = after - now - rate.full_time;
  if (over > 0) {
    return {.retry_after = std::chrono::nanoseconds(over),
            .remaining = tokens_left(before, now, rate),
            .full_after = std::chrono::nanoseconds(before - now)};
  }
  bucket.full_at = after;
  return {
      .allowed = true, .remaining = tokens_left(after, now, rate), .full_after = std::chrono::nanoseconds(after - now)};
}

}  // namespace volt::http::middleware
