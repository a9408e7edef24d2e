// SPDX-License-Identifier: MIT

#include "http/server/internal/request_times.h"

#include <doctest/doctest.h>

#include <string_view>
#include <thread>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using Clock = RequestTimes::Clock;

// Passes a moment, and returns the time.
RequestTimes::TimePoint later() {
  std::this_thread::sleep_for(1ms);
  return Clock::now();
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/request_times");

TEST_CASE("the phases of a request follow each other without a gap") {
  RequestTimes times;
  const auto arrived = Clock::now();
  times.note_read(arrived);
  static_cast<void>(later());
  times.begin(true);
  const auto began = times.began();
  static_cast<void>(later());
  times.answer(false);
  const auto sent = later();
  const RequestPhases phases = times.phases(sent);
  CHECK(phases.queue == began - arrived);
  CHECK(phases.receive == 0ns);
  CHECK(phases.handler == times.answered() - began);
  CHECK(phases.send == sent - times.answered());
  CHECK(phases.total() == sent - arrived);
}

TEST_CASE("waits for the body are a phase of their own, whether they precede the handler or not") {
  for (const bool before_handler : {true, false}) {
    CAPTURE(before_handler);
    RequestTimes times;
    const auto arrived = Clock::now();
    times.note_read(arrived);
    times.begin(true);
    static_cast<void>(later());
    times.begin_receive();
    static_cast<void>(later());
    const auto received = later();
    times.end_receive(received);
    times.end_receive(later());  // there is no wait any more
    if (before_handler) times.begin_handler();
    times.answer(false);
    const RequestPhases phases = times.phases(times.answered());
    CHECK(phases.receive >= 2ms);
    CHECK(phases.receive <= received - arrived);
    CHECK(phases.total() == times.answered() - arrived);
    CHECK((before_handler ? phases.queue : phases.handler) >= 1ms);
  }
}

TEST_CASE("a request that gets no response has no time of sending, and one without a handler no time of a handler") {
  RequestTimes times;
  const auto arrived = Clock::now();
  times.note_read(arrived);
  times.begin(true);
  const auto ended = later();
  CHECK(times.phases(ended).send == 0ns);
  CHECK(times.phases(ended).total() == ended - arrived);
  times.refuse();
  times.answer(false);
  CHECK(times.phases(times.answered()).queue == times.answered() - arrived);
  CHECK(times.phases(times.answered()).handler == 0ns);
  CHECK_FALSE(times.handled());
}

TEST_CASE("a request cannot arrive before the response to an earlier one was sent, unless it was read before") {
  RequestTimes times;
  const auto turn_began = Clock::now();
  const auto sent = later();
  times.note_sent(sent);
  times.note_read(turn_began);
  times.begin(true);
  CHECK(times.phases(times.began()).queue == times.began() - sent);
  times.begin(true);  // pipelined: it was read together with the one before
  CHECK(times.phases(times.began()).queue == times.began() - sent);
}

TEST_CASE("of a request that is not measured only the sending is known, if it is wanted") {
  RequestTimes times;
  times.note_read(Clock::now());
  times.begin(false);
  CHECK_FALSE(times.measured());
  times.begin_receive();
  times.end_receive(later());
  times.answer(false);
  CHECK(times.phases(later()).total() == 0ns);
  times.answer(true);
  const auto sent = later();
  CHECK(times.phases(sent).total() == sent - times.answered());
}

TEST_SUITE_END();

}  // namespace volt::http::server
