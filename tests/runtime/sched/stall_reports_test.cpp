// SPDX-License-Identifier: MIT

#include "runtime/sched/stall_reports.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::sched {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMs = 1'000'000;

// A turn that is sampled every millisecond, and what is reported of it.
class ReportedTurn {
 public:
  ReportedTurn() {
    reports_.reserve(1);
    reports_.on_stall([this](const Stall& stall) { reported.push_back(stall); });
  }
  // The turn goes on for this time, in which its thread computes or waits for a processor.
  void compute(std::int64_t milliseconds) { run(milliseconds, true); }
  void wait(std::int64_t milliseconds) { run(milliseconds, false); }
  void end() {
    reports_.note_end(3, use_, turn_);
    reports_.deliver();
  }

  std::vector<Stall> reported;
  int found = 0;  // how often the turn has become a stall

 private:
  void run(std::int64_t milliseconds, bool computes) {
    for (std::int64_t i = 0; i != milliseconds; ++i) {
      at_ns_ += kMs;
      if (computes) processor_time_ns_ += kMs;
      use_.add(at_ns_, processor_time_ns_, [] { return ThreadWaits(); });
      if (reports_.note(3, 17, use_, turn_)) ++found;
      reports_.deliver();
    }
  }

  StallReports reports_;
  std::int64_t at_ns_ = 0;
  std::int64_t processor_time_ns_ = 0;
  TurnUse use_{0, 0, -1};
  TurnReports turn_;
};

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/stall_reports");

TEST_CASE("a turn that computes is reported at three durations, and at its end") {
  ReportedTurn turn;
  turn.compute(1200);
  turn.end();
  REQUIRE(turn.reported.size() == 4);
  const std::chrono::milliseconds lasted[] = {1ms, 50ms, 1000ms, 1200ms};
  for (std::size_t i = 0; i != 4; ++i) {
    const Stall& stall = turn.reported[i];
    CHECK(stall.worker == 3);
    CHECK(stall.task == 17);
    CHECK(stall.cause == StallCause::computing);
    CHECK(stall.lasted == lasted[i]);
    CHECK(stall.processor_time == lasted[i]);
    CHECK(stall.charged() == lasted[i]);
    CHECK(stall.ended == (i == 3));
    CHECK(stall.until - stall.since == lasted[i]);
  }
  CHECK(turn.found == 1);
}

TEST_CASE("the end of a short stall is not reported") {
  ReportedTurn turn;
  turn.compute(49);
  turn.end();
  CHECK(turn.reported.size() == 1);
}

TEST_CASE("a turn that only waits for a processor is reported once, and is no stall") {
  ReportedTurn turn;
  turn.wait(3000);
  turn.end();
  REQUIRE(turn.reported.size() == 1);
  CHECK(turn.reported[0].cause == StallCause::no_processor);
  CHECK(turn.reported[0].waited == 50ms);
  CHECK(turn.reported[0].charged() == 0ms);
  CHECK(turn.found == 0);
}

TEST_CASE("the time without a processor is not charged") {
  ReportedTurn turn;
  turn.wait(70);
  turn.compute(30);
  turn.wait(70);
  CHECK(turn.found == 1);
  REQUIRE(turn.reported.size() == 2);  // the wait, and the first millisecond
  turn.compute(20);
  turn.end();
  REQUIRE(turn.reported.size() == 4);
  CHECK(turn.reported[3].lasted == 190ms);
  CHECK(turn.reported[3].processor_time == 50ms);
  CHECK(turn.reported[3].waited == 140ms);
  CHECK(turn.reported[3].charged() == 50ms);
}

TEST_CASE("a blocked turn is charged with its sleep") {
  StallReports reports;
  reports.reserve(1);
  std::vector<Stall> reported;
  reports.on_stall([&](const Stall& stall) { reported.push_back(stall); });
  TurnUse use(0, 0, 0);
  TurnReports turn;
  use.add(60 * kMs, kMs, [] { return ThreadWaits{.sleeps = true, .run_delay_ns = 4 * kMs}; });
  CHECK(reports.note(0, 1, use, turn));
  reports.deliver();
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].cause == StallCause::blocked);
  CHECK(reported[0].charged() == 56ms);
  CHECK(reported[0].waited == 4ms);
}

}  // namespace volt::sched
