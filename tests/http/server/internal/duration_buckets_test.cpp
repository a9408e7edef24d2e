// SPDX-License-Identifier: MIT

#include "http/server/internal/duration_buckets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace volt::http::server {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/server/internal/duration_buckets");

TEST_CASE("the geometric middle of a bucket is about a tenth away from its bounds") {
  for (std::size_t i = 1; i != kDurationBoundCount; ++i) {
    CAPTURE(i);
    CHECK(kDurationBounds[i] > kDurationBounds[i - 1]);
    CHECK(kDurationBounds[i] * 100 <= kDurationBounds[i - 1] * 122);
  }
}

TEST_CASE("each duration is in the bucket of the lowest bound that is not below it") {
  for (std::size_t i = 0; i != kDurationBoundCount; ++i) {
    CAPTURE(i);
    const std::chrono::nanoseconds bound(kDurationBounds[i]);
    CHECK(bucket_of(bound) == i);
    CHECK(bucket_of(bound + 1ns) == i + 1);
  }
  CHECK(bucket_of(0ns) == 0);
  CHECK(bucket_of(-1ns) == 0);
  CHECK(bucket_of(std::chrono::nanoseconds::max()) == kDurationBoundCount);
}

TEST_CASE("the bucket is the one that a search finds, at the ends of all guesses too") {
  const auto search = [](std::int64_t ns) {
    return static_cast<std::size_t>(std::ranges::lower_bound(kDurationBounds, ns) - kDurationBounds.begin());
  };
  for (std::int64_t octave = 1; octave < 100'000'000'000; octave *= 2) {
    for (std::int64_t part = 0; part != 64; ++part) {
      for (const std::int64_t next : {-1, 0, 1}) {
        const std::int64_t ns = octave + octave * part / 64 + next;
        CAPTURE(ns);
        CHECK(bucket_of(std::chrono::nanoseconds(ns)) == search(ns));
      }
    }
  }
}

TEST_CASE("metrics have three bounds for each power of ten") {
  std::vector<double> exported;
  for (std::size_t i = 0; i != kDurationBoundCount; ++i) {
    if (is_exported_bound(i)) exported.push_back(bound_seconds(i));
  }
  CHECK(exported == std::vector<double>{0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                        0.0025,  0.005,    0.01,    0.025,  0.05,    0.1,    0.25,
                                        0.5,     1,        2.5,     5,      10,      25,     50});
}

TEST_SUITE_END();

}  // namespace volt::http::server
