// SPDX-License-Identifier: MIT

#include "runtime/sched/delay_histogram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/sched/worker.h"
#include "tests/support/engine.h"

namespace volt::sched {
namespace {

using namespace std::chrono_literals;

std::uint64_t total(const DelayCounts& counts) {
  return std::accumulate(counts.buckets.begin(), counts.buckets.end(), std::uint64_t{0});
}

// Returns the bucket of the duration.
std::size_t bucket_of(std::chrono::nanoseconds duration) {
  DelayHistogram histogram;
  histogram.add(duration.count());
  const DelayCounts counts = histogram.counts();
  return static_cast<std::size_t>(std::ranges::find(counts.buckets, 1U) - counts.buckets.begin());
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/delay_histogram");

TEST_CASE("a duration is counted in the bucket of the lowest bound that is not below it") {
  CHECK(DelayCounts::kBoundsNs.front() == 10'000);
  CHECK(bucket_of(0ns) == 0);
  CHECK(bucket_of(10us) == 0);
  CHECK(bucket_of(10'001ns) == 1);
  CHECK(bucket_of(25us) == 1);
  CHECK(bucket_of(1ms) == 6);
  CHECK(bucket_of(50s) == 20);
  CHECK(bucket_of(51s) == 21);
}

TEST_CASE("the queue delay of one task in 64 is measured, from its wake until it runs") {
  constexpr std::uint32_t kTasks = 10 * Worker::kWakesPerSample;
  for (const bool delayed : {false, true}) {
    CAPTURE(delayed);
    RuntimeOptions options = test_options(1);
    options.manual_clock = true;
    Runtime runtime(options);
    const DelayCounts before = runtime.metrics().workers[0].queue_delay;
    runtime.block_on([&]() -> Task<> {
      std::vector<JoinHandle<void>> tasks;
      if (!delayed) runtime.advance_clock(20ms);  // computes, and then wakes the others
      for (std::uint32_t i = 0; i != kTasks; ++i) tasks.push_back(spawn([]() -> Task<> { co_return; }));
      if (delayed) runtime.advance_clock(20ms);  // the others wait for that long
      for (JoinHandle<void>& task : tasks) co_await std::move(task);
    });
    const DelayCounts after = runtime.metrics().workers[0].queue_delay;
    const std::size_t bucket = delayed ? bucket_of(20ms) : 0;
    CHECK(after.buckets[bucket] - before.buckets[bucket] >= 10);
    CHECK(total(after) - total(before) <= 22);  // the joins wake a task as well
    const std::uint64_t sum_ns = after.sum_ns - before.sum_ns;
    CHECK(sum_ns >= (delayed ? 10 * 20'000'000U : 0));
    CHECK(sum_ns <= (delayed ? 11 * 21'000'000U : 0));
  }
}

}  // namespace volt::sched
