// SPDX-License-Identifier: MIT

#include "http/ops/internal/percentile.h"

#include <doctest/doctest.h>

#include <chrono>

namespace volt::http::ops {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/ops/internal/percentile");

TEST_CASE("a percentile is off by a tenth at most") {
  constexpr std::chrono::nanoseconds kTruths[] = {11us, 99us, 3141us, 80ms + 1us, 1234ms, 59s};
  for (const std::chrono::nanoseconds truth : kTruths) {
    CAPTURE(truth.count());
    DurationCounts counts{};
    counts[server::bucket_of(truth)] = 1000;
    counts[server::bucket_of(10us)] += 1;  // one request that was faster
    const double seconds = std::chrono::duration<double>(truth).count();
    CHECK(percentile_seconds(counts, 0.5) == doctest::Approx(seconds).epsilon(0.12));
    CHECK(percentile_seconds(counts, 0.999) == doctest::Approx(seconds).epsilon(0.12));
  }
}

TEST_CASE("a percentile falls into the bucket that holds the request of that rank") {
  DurationCounts counts{};
  counts[server::bucket_of(100us)] = 90;
  counts[server::bucket_of(10ms)] = 10;
  CHECK(percentile_seconds(counts, 0.5) < 0.0002);
  CHECK(percentile_seconds(counts, 0.9) < 0.0002);
  CHECK(percentile_seconds(counts, 0.91) > 0.005);
}

TEST_CASE("the first and the last bucket give their only bound, and no request gives 0") {
  DurationCounts counts{};
  CHECK(percentile_seconds(counts, 0.5) == 0);
  counts[server::bucket_of(1us)] = 1;
  CHECK(percentile_seconds(counts, 0.5) == doctest::Approx(0.000010));
  counts = {};
  counts[server::bucket_of(1h)] = 1;
  CHECK(percentile_seconds(counts, 0.99) == doctest::Approx(60));
}

TEST_SUITE_END();

}  // namespace volt::http::ops
