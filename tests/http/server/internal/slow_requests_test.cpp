// SPDX-License-Identifier: MIT

#include "http/server/internal/slow_requests.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using TimePoint = SlowRequests::TimePoint;

SlowRequest taking(std::chrono::nanoseconds total) {
  SlowRequest request;
  request.phases.handler = total;
  return request;
}

std::vector<std::chrono::nanoseconds> totals(const SlowRequests& slow, TimePoint now) {
  std::vector<std::chrono::nanoseconds> totals;
  for (const SlowRequest& request : slow.slowest(now)) totals.push_back(request.phases.total());
  return totals;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/slow_requests");

TEST_CASE("the slowest requests are kept, in order") {
  SlowRequests slow;
  const TimePoint now = SlowRequests::TimePoint(1h);
  for (int i = 1; i <= 30; ++i) {
    const auto total = (i * 7 % 31) * 1ms;
    if (slow.takes(total, now)) slow.add(taking(total), now);
  }
  std::vector<std::chrono::nanoseconds> wanted;
  for (auto ms = 30ms; ms > 20ms; ms -= 1ms) wanted.emplace_back(ms);
  CHECK(totals(slow, now) == wanted);
  CHECK_FALSE(slow.takes(21ms, now));
  CHECK(slow.takes(22ms, now));
}

TEST_CASE("a request below a millisecond is never slow") {
  const SlowRequests slow;
  CHECK_FALSE(slow.takes(999us, TimePoint(1h)));
  CHECK(slow.takes(1ms, TimePoint(1h)));
}

TEST_CASE("each minute begins anew, and is forgotten after five") {
  SlowRequests slow;
  const TimePoint start = TimePoint(1h);
  for (int i = 0; i != 10; ++i) slow.add(taking(1s), start);
  CHECK_FALSE(slow.takes(2ms, start + 59s));
  CHECK(slow.takes(2ms, start + 1min));
  slow.add(taking(2ms), start + 1min);
  slow.add(taking(3ms), start + 2min);
  CHECK(totals(slow, start + 2min).size() == 10);
  CHECK(std::ranges::count(totals(slow, start + 2min), 1s) == 10);
  CHECK(totals(slow, start + 5min) == std::vector<std::chrono::nanoseconds>{3ms, 2ms});
  CHECK(totals(slow, start + 6min) == std::vector<std::chrono::nanoseconds>{3ms});
  CHECK(totals(slow, start + 1h).empty());
  for (int minute = 3; minute != 10; ++minute) slow.add(taking(minute * 1ms), start + minute * 1min);
  CHECK(totals(slow, start + 9min) == std::vector<std::chrono::nanoseconds>{9ms, 8ms, 7ms, 6ms, 5ms});
}

TEST_SUITE_END();

}  // namespace volt::http::server
