// SPDX-License-Identifier: MIT

#include "runtime/sched/turn_use.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/turn_use");

TEST_CASE("the time of a turn is processor time, time asleep, or time without a processor") {
  constexpr std::int64_t kMs = 1'000'000;
  constexpr std::int64_t kUnknown = -1;
  struct Sample {  // milliseconds since the first sample
    std::int64_t at;
    std::int64_t computed;
    bool sleeps = false;
    std::int64_t run_delay = 0;
  };
  const struct {
    std::string why;
    std::vector<Sample> samples;
    std::int64_t computed;
    std::int64_t blocked;
    std::int64_t waited;
    Activity activity;
  } cases[] = {
      {"a turn that computes", {{10, 10}, {80, 80}}, 80, 0, 0, Activity::computes},
      {"preempted for all of the time", {{10, 0}, {80, 0}}, 0, 0, 80, Activity::unknown},
      {"preempted for most of the time", {{10, 1, false, 9}, {80, 8, false, 72}}, 8, 0, 72, Activity::unknown},
      {"preempted for a part of the time", {{10, 10}, {20, 15}, {30, 25}}, 25, 0, 5, Activity::computes},
      {"asleep", {{10, 0, true}, {80, 0, true}}, 0, 80, 0, Activity::blocked},
      {"asleep, then waits for a processor", {{10, 0, true}, {80, 1, false, 50}}, 1, 10, 69, Activity::blocked},
      {"preempted, then asleep", {{10, 1, true, 9}}, 1, 0, 9, Activity::blocked},
      {"computes, is preempted, and sleeps",
       {{10, 10}, {20, 12, false, 0}, {30, 12, true, 8}},
       12,
       10,
       8,
       Activity::blocked},
      {"asleep, then computes", {{10, 0, true}, {20, 0, true}, {30, 10}}, 10, 20, 0, Activity::computes},
      {"the run delay is unknown", {{10, 0, true, kUnknown}}, 0, 10, 0, Activity::blocked},
      {"the clock of the processor time runs ahead", {{10, 11}}, 10, 0, 0, Activity::computes},
  };
  for (const auto& [why, samples, computed, blocked, waited, activity] : cases) {
    CAPTURE(why);
    constexpr std::int64_t kEarlier = 5000 * kMs;  // of the thread, before the turn
    TurnUse use(kMs, kEarlier, kEarlier);
    for (const Sample& sample : samples) {
      use.add((1 + sample.at) * kMs, kEarlier + sample.computed * kMs, [&] {
        const std::int64_t delay_ns = sample.run_delay == kUnknown ? kUnknown : kEarlier + sample.run_delay * kMs;
        return ThreadWaits{.sleeps = sample.sleeps, .run_delay_ns = delay_ns};
      });
    }
    CHECK(use.computed_ns() == computed * kMs);
    CHECK(use.blocked_ns() == blocked * kMs);
    CHECK(use.waited_ns() == waited * kMs);
    CHECK(use.lasted_ns() == samples.back().at * kMs);
    CHECK(use.activity() == activity);
  }
}

TEST_CASE("the state of a thread is read only if it is in doubt") {
  TurnUse use(0, 0, 0);
  int reads = 0;
  const auto asleep = [&] {
    ++reads;
    return ThreadWaits{.sleeps = true, .run_delay_ns = 0};
  };
  use.add(10, 10, asleep);  // computes
  CHECK(reads == 0);
  use.add(20, 11, asleep);
  CHECK(reads == 1);
  use.add(30, 11, asleep);  // the same sleep
  CHECK(reads == 1);
  use.add(40, 12, asleep);
  CHECK(reads == 2);
  CHECK(use.blocked_ns() == 28);
}

TEST_CASE("without a processor time nothing is charged") {
  TurnUse use(0, -1, -1);
  use.add(50, -1, [] { return ThreadWaits{.sleeps = true, .run_delay_ns = -1}; });
  CHECK(use.computed_ns() + use.blocked_ns() == 0);
  CHECK(use.waited_ns() == 50);
  CHECK(use.activity() == Activity::unknown);
}

}  // namespace volt::sched
