// SPDX-License-Identifier: MIT

#include "runtime/sched/timeline_ring.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "tests/support/waiting.h"

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/timeline_ring");

TEST_CASE("a ring notes nothing while no timeline is recorded") {
  TimelineRing ring;
  ring.note(TimelineEvent::Kind::park_begin);
  const std::uint64_t from = ring.switch_on(8);
  CHECK(ring.on());
  std::vector<TimelineEvent> events;
  CHECK(ring.read(from, 8, events) == 0);
  CHECK(events.empty());
  ring.note(TimelineEvent::Kind::woke_worker, 3);
  ring.switch_off();
  ring.note(TimelineEvent::Kind::park_end);
  CHECK(ring.read(from, 8, events) == 0);
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == TimelineEvent::Kind::woke_worker);
  CHECK(events[0].about == 3);
  CHECK(events[0].time_ns > 0);
}

TEST_CASE("the newest events overwrite the oldest, and a recording begins where the one before ended") {
  TimelineRing ring;
  for (int round = 0; round != 3; ++round) {
    CAPTURE(round);
    const std::uint64_t from = ring.switch_on(8);
    for (std::uint64_t i = 1; i != 21; ++i) ring.end_theft(1, i);
    ring.switch_off();
    std::vector<TimelineEvent> events;
    CHECK(ring.read(from, 8, events) == 13);
    REQUIRE(events.size() == 7);
    for (std::uint32_t i = 0; i != 7; ++i) CHECK(events[i].number == 14 + i);
    ring.give_back();
  }
}

TEST_CASE("searches without another event between them are one, and thefts without a task are none") {
  TimelineRing ring;
  const std::uint64_t from = ring.switch_on(16);
  ring.begin_search();
  ring.begin_search();
  ring.end_theft(1, 0);
  ring.end_rescue(1, 0);
  ring.note(TimelineEvent::Kind::park_begin);
  ring.begin_search();
  std::vector<TimelineEvent> events;
  CHECK(ring.read(from, 16, events) == 0);
  REQUIRE(events.size() == 3);
  CHECK(events[1].kind == TimelineEvent::Kind::park_begin);
}

TEST_CASE("a reader never sees parts of two events") {
  constexpr std::uint32_t kEvents = 1024;  // the worker overwrites some of them while they are read, but not all
  TimelineRing ring;
  const std::uint64_t from = ring.switch_on(kEvents);
  base::Atomic<bool> ended{false};
  std::thread worker([&] {
    for (std::uint64_t i = 1; !ended.load(base::relaxed); ++i) {
      ring.begin_theft();
      ring.end_theft(static_cast<std::uint32_t>(i % 1000), i);
    }
  });
  std::size_t seen = 0;
  const auto read = [&] {
    std::vector<TimelineEvent> events;
    const std::uint64_t lost = ring.read(from, kEvents, events);
    for (std::size_t i = 0; i != events.size(); ++i) {
      const TimelineEvent& event = events[i];
      const bool whole = event.number == lost + i + 1 && event.about == event.number % 1000 &&
                         event.kind == TimelineEvent::Kind::theft_end && event.since_ns <= event.time_ns &&
                         event.since_ns > 0;
      if (!whole) FAIL_CHECK("event " << i << " of " << events.size());
    }
    seen += events.size();
    return seen >= 50'000;
  };
  const bool enough = test::eventually(read);
  ended.store(true, base::relaxed);
  worker.join();
  CHECK(enough);
}

TEST_SUITE_END();

}  // namespace volt::sched
