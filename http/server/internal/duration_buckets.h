// SPDX-License-Identifier: MIT

// The buckets of the duration histograms: 14 for each power of ten, from 10 microseconds to 60 seconds. A percentile
// that is read from them is off by about a tenth at most. Metrics in the format of Prometheus have only the bounds that
// are 1, 2.5 or 5 times a power of ten: more bounds would multiply the time series of each route.
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace volt::http::server {

inline constexpr std::size_t kBoundsPerDecade = 14;
inline constexpr std::size_t kDurationBoundCount = 6 * kBoundsPerDecade + 12;  // the last one is 60 s

// The upper bounds of the buckets, in nanoseconds. One more bucket follows, for the durations above all bounds.
inline constexpr std::array<std::int64_t, kDurationBoundCount> kDurationBounds = [] {
  constexpr std::int64_t kDecade[kBoundsPerDecade] = {1000, 1200, 1400, 1700, 2000, 2200, 2500,
                                                      3000, 3500, 4200, 5000, 6000, 7000, 8500};
  std::array<std::int64_t, kDurationBoundCount> bounds{};
  std::int64_t scale = 10;  // the first bound is 10 us
  for (std::size_t i = 0; i != bounds.size(); ++i) {
    bounds[i] = kDecade[i % kBoundsPerDecade] * scale;
    if (i % kBoundsPerDecade == kBoundsPerDecade - 1) scale *= 10;
  }
  return bounds;
}();
static_assert(kDurationBounds.front() == 10'000 && kDurationBounds.back() == 60'000'000'000);

// The first guess of bucket_of(): for each value of the four highest bits of a duration, the bucket of the shortest
// duration that has them.
inline constexpr std::size_t kGuessesPerOctave = 8;
inline constexpr auto kBucketGuesses = [] {
  std::array<std::uint8_t, kGuessesPerOctave * std::bit_width(std::uint64_t{60'000'000'000})> guesses{};
  for (std::size_t i = 0; i != guesses.size(); ++i) {
    const std::int64_t least =
        static_cast<std::int64_t>((kGuessesPerOctave + i % kGuessesPerOctave) << (i / kGuessesPerOctave));
    guesses[i] = static_cast<std::uint8_t>(std::ranges::lower_bound(kDurationBounds, least) - kDurationBounds.begin());
  }
  return guesses;
}();

// Returns the bucket of a duration: that of the lowest bound that is not below it. Few instructions, because each
// request calls it several times: most durations are in the first bucket, and the guess is at most two buckets off.
[[nodiscard]] inline std::size_t bucket_of(std::chrono::nanoseconds duration) noexcept {
  const std::int64_t ns = duration.count();
  if (ns <= kDurationBounds.front()) return 0;
  if (ns > kDurationBounds.back()) return kDurationBoundCount;
  const auto octave = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(ns))) - 4;
  std::size_t bucket =
      kBucketGuesses[octave * kGuessesPerOctave + (static_cast<std::size_t>(ns) >> octave) % kGuessesPerOctave];
  while (ns > kDurationBounds[bucket]) ++bucket;
  return bucket;
}

// Returns whether metrics in Prometheus' format have this bound.
[[nodiscard]] constexpr bool is_exported_bound(std::size_t bound) noexcept {
  const std::size_t place = bound % kBoundsPerDecade;
  return place == 0 || place == 6 || place == 10;
}

[[nodiscard]] constexpr double bound_seconds(std::size_t bound) noexcept {
  return static_cast<double>(kDurationBounds[bound]) / 1e9;
}

}  // namespace volt::http::server
