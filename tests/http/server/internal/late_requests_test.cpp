// SPDX-License-Identifier: MIT

#include "http/server/internal/late_requests.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kRefusal = 15us;

struct Served {
  int served = 0;
  int refused = 0;
  nanoseconds ended{0};
};

// A worker whose requests are all late, from `began` on: it takes `request` to serve one, and kRefusal to refuse one.
Served work(LateRequests& late_requests, nanoseconds began, nanoseconds lasting, nanoseconds request) {
  Served counts{.ended = began};
  while (counts.ended - began < lasting) {
    late_requests.add(counts.ended);
    const bool refused = late_requests.refuses();
    ++(refused ? counts.refused : counts.served);
    counts.ended += refused ? kRefusal : request;
  }
  return counts;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/late_requests");

TEST_CASE("as many late requests are refused as bring the average time of a request down to 50 us") {
  const struct {
    std::string why;
    nanoseconds request;
    double refused;  // share
  } cases[] = {
      {"as short as a refusal", 15us, 0}, {"short", 49us, 0},
      {"a little longer", 60us, 0.222},   {"longer", 120us, 0.667},
      {"a millisecond", 1ms, 0.964},      {"long", 10ms, 0.996},
  };
  for (const auto& [why, request, refused] : cases) {
    CAPTURE(why);
    LateRequests late_requests;
    const Served before = work(late_requests, 1h, 2s, request);
    const Served counts = work(late_requests, before.ended, 10s, request);
    const double all = counts.served + counts.refused;
    CHECK(counts.refused / all == doctest::Approx(refused).epsilon(0.02));
  }
}

TEST_CASE("requests that have waited show, before one is late, whether to refuse most") {
  for (const auto& [request, refused] : {std::pair(20us, 0.0), std::pair(2000us, 3.0 / 4)}) {
    CAPTURE(request.count());
    LateRequests late_requests;
    nanoseconds now = 1h;
    for (; now < 1h + 2 * LateRequests::kWindow + 2ms; now += request) late_requests.add(now);
    const Served counts = work(late_requests, now, 40ms, request);
    CHECK(counts.refused / static_cast<double>(counts.served + counts.refused) ==
          doctest::Approx(refused).epsilon(0.02));
  }
}

TEST_CASE("a pause of the worker makes it refuse requests for a moment only") {
  LateRequests late_requests;
  const Served before = work(late_requests, 1h, 1s, 20us);
  CHECK(before.refused == 0);
  const Served after = work(late_requests, before.ended + 500ms, 6 * LateRequests::kWindow, 20us);
  CHECK(after.refused != 0);
  CHECK(work(late_requests, after.ended, 10s, 20us).refused == 0);
}

TEST_CASE("what was refused is forgotten when no request was late for a second") {
  for (const auto& [pause, forgotten] : {std::pair(1000ms, true), std::pair(800ms, false)}) {
    CAPTURE(pause.count());
    LateRequests late_requests;
    const Served before = work(late_requests, 1h, 2s, 10ms);
    const Served after = work(late_requests, before.ended + pause, LateRequests::kWindow, 20us);
    CHECK((after.refused == 0) == forgotten);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
