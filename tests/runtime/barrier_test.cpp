// SPDX-License-Identifier: MIT

#include "runtime/barrier.h"

#include <doctest/doctest.h>

#include <vector>

#include "runtime/borrowed.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;

struct Meeting {
  explicit Meeting(std::uint32_t count) : barrier(count) {}
  Barrier barrier;
  base::Atomic<std::uint64_t> leaders{0};
  base::Atomic<std::uint64_t> steps{0};
};
using MeetingRef = Borrowed<Meeting>;

Task<bool> arrive(MeetingRef meeting) { co_return co_await meeting.get().barrier.arrive(); }

Task<> step(MeetingRef meeting, std::uint64_t count, std::uint64_t rounds) {
  for (std::uint64_t round = 0; round != rounds; ++round) {
    meeting.get().steps.fetch_add(1, base::relaxed);  // relaxed: the barrier orders it
    const bool leads = co_await meeting.get().barrier.arrive();
    if (leads) meeting.get().leaders.fetch_add(1, base::relaxed);         // relaxed: a count
    const std::uint64_t steps = meeting.get().steps.load(base::relaxed);  // relaxed: the barrier orders it
    CHECK(steps >= (round + 1) * count);                                  // all tasks have arrived
    CHECK(steps <= (round + 2) * count);                                  // no task is a whole round ahead
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/barrier");

TEST_CASE("tasks wait until the last one arrives, which leads the round, in every round") {
  Meeting meeting(3);
  ManualClockRuntime bench;
  for (int round = 0; round != 2; ++round) {
    auto first = bench.runtime.spawn(arrive, borrow(meeting));
    bench.settle();
    CHECK(!meeting.barrier.try_arrive());
    auto second = bench.runtime.spawn(arrive, borrow(meeting));
    bench.settle();
    CHECK((!first.done() && !second.done()));
    auto last = bench.runtime.spawn(arrive, borrow(meeting));
    CHECK(bench.result_of(std::move(last)));
    CHECK(!bench.result_of(std::move(first)));
    CHECK(!bench.result_of(std::move(second)));
  }
}

TEST_CASE("try_arrive() on a thread may complete a round") {
  Meeting meeting(2);
  ManualClockRuntime bench;
  auto waiting = bench.runtime.spawn(arrive, borrow(meeting));
  bench.settle();
  CHECK(meeting.barrier.try_arrive());
  CHECK(!bench.result_of(std::move(waiting)));
}

TEST_CASE("a cancelled arrival does not count") {
  Meeting meeting(2);
  ManualClockRuntime bench;
  auto cancelled = bench.runtime.spawn(arrive, borrow(meeting));
  bench.settle();
  cancelled.cancel();
  bench.settle();
  CHECK(cancelled.done());
  auto first = bench.runtime.spawn(arrive, borrow(meeting));
  bench.settle();
  CHECK(!first.done());
  CHECK(bench.result_of(bench.runtime.spawn(arrive, borrow(meeting))));
  CHECK(!bench.result_of(std::move(first)));
}

TEST_CASE("a barrier for one task is always complete") {
  Meeting meeting(1);
  ManualClockRuntime bench;
  CHECK(bench.result_of(bench.runtime.spawn(arrive, borrow(meeting))));
  CHECK(meeting.barrier.try_arrive());
}

TEST_CASE("with many workers, every round has all of its tasks and one leader") {
  Runtime runtime(test_options());
  constexpr std::uint64_t kTasks = 50;
  const std::uint64_t rounds = test::stress_rounds(500);
  Meeting meeting(kTasks);
  std::vector<JoinHandle<void>> tasks;
  for (std::uint64_t i = 0; i != kTasks; ++i) {
    tasks.push_back(runtime.spawn(step, borrow(meeting), std::uint64_t{kTasks}, std::uint64_t{rounds}));
  }
  for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
  CHECK(meeting.leaders.load(base::relaxed) == rounds);         // relaxed: all tasks are done
  CHECK(meeting.steps.load(base::relaxed) == rounds * kTasks);  // relaxed: as above
}

TEST_SUITE_END();

}  // namespace volt
