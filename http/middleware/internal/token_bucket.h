// SPDX-License-Identifier: MIT

// TokenBuckets: rate limits with a token bucket per key (an address, a user, an API key), in bounded memory.
//
// A bucket is one number: the time at which it will be full again (GCRA, the leaky bucket as a meter, ATM Forum TM
// 4.0). A full bucket is therefore equivalent to a missing one, and the table needs no sweeping: the bucket of a new
// key replaces the fullest bucket among the few places that the key may take.
// Rejected: replacing the least recently used bucket. A client that waits a moment between bursts would then lose its
// almost empty bucket and get a full one. By the rule above it keeps its bucket, because a flood of new keys leaves
// nearly full buckets, which are replaced first.
//
// A key is identified by a 64-bit hash, keyed with a random seed: an attacker cannot choose keys that share a bucket or
// replace a given one, and two keys collide with a probability of 2^-64.
//
// One table may hold buckets of several rates, because a bucket's number does not depend on its rate.
//
// Threads: any; the keys are divided into shards, each with its lock. The caller passes the time of any steady clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "crypto/keyed_hash.h"

namespace volt::http::middleware {

// The rate of a bucket, as times.
struct TokenRate {
  // Requires a rate above 0, a burst of at least 1, and an empty bucket that fills within a year.
  TokenRate(double per_second, std::uint32_t burst);

  std::int64_t token_time;  // nanoseconds in which one token is regained
  std::int64_t full_time;   // nanoseconds in which an empty bucket fills
};

// Returns whether TokenRate accepts the values.
[[nodiscard]] bool is_token_rate(double per_second, std::uint32_t burst) noexcept;

struct TokenBucketOptions {
  double rate_per_second = 10;      // tokens regained; above 0, and an empty bucket must fill within a year
  std::uint32_t burst = 20;         // tokens in a full bucket; at least 1
  std::size_t entries_max = 65536;  // buckets, 16 bytes each; rounded up to a power of two, at least 512
};

class TokenBuckets {
 public:
  struct Verdict {
    bool allowed = false;
    std::chrono::nanoseconds retry_after{0};  // if refused: the time until enough tokens are available
    std::uint32_t remaining = 0;              // tokens left, for RateLimit fields
    std::chrono::nanoseconds full_after{0};   // the time until the bucket is full
  };

  explicit TokenBuckets(const TokenBucketOptions& options);

  // Takes `tokens` tokens (at most `burst`) from the key's bucket, or none if there are fewer. Neither waits nor
  // allocates.
  Verdict take(std::string_view key, std::chrono::nanoseconds now, std::uint32_t tokens = 1) noexcept {
    return take(key, now, rate_, tokens);
  }
  // As above, but at another rate than that of the options. A key must always have the same rate.
  Verdict take(std::string_view key, std::chrono::nanoseconds now, const TokenRate& rate,
               std::uint32_t tokens = 1) noexcept;

  std::size_t entries_max() const noexcept;

 private:
  static constexpr std::size_t kWays = 8;  // places that a key may take; two cache lines

  struct Bucket {
    std::uint64_t key_hash = 0;
    std::int64_t full_at = INT64_MIN;  // nanoseconds of the caller's clock; in the past if the bucket is full
  };
  struct Shard {
    std::mutex mutex;
    std::vector<Bucket> buckets;
  };

  static Bucket& bucket_of(Shard& shard, std::uint64_t key_hash) noexcept;
  static Verdict take_locked(Bucket& bucket, std::int64_t now, const TokenRate& rate, std::uint32_t tokens) noexcept;

  crypto::HashKey hash_key_ = crypto::random_hash_key();
  TokenRate rate_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace volt::http::middleware
