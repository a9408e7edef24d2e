// SPDX-License-Identifier: MIT

#include "runtime/sched/victim_walk.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/victim_walk");

TEST_CASE("a walk visits every index exactly once") {
  Random random(7);
  std::vector<std::uint32_t> counts = {96, 97, 128, 1023, 1024};
  for (std::uint32_t count = 0; count != 66; ++count) counts.push_back(count);
  for (const std::uint32_t count : counts) {
    CAPTURE(count);
    const VictimWalk walk(count);
    for (int round = 0; round != 20; ++round) {
      std::vector<int> visits(count, 0);
      std::uint32_t outside = 0;
      const bool stopped = walk.visit_all(random, [&](std::uint32_t index) {
        index < count ? static_cast<void>(++visits[index]) : static_cast<void>(++outside);
        return false;
      });
      CHECK_FALSE(stopped);
      CHECK(outside == 0);
      CHECK(visits == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("a walk ends when its visitor says so") {
  Random random(7);
  const VictimWalk walk(8);
  int visits = 0;
  CHECK(walk.visit_all(random, [&](std::uint32_t) { return ++visits == 3; }));
  CHECK(visits == 3);
}

TEST_CASE("walks differ in start and stride") {
  Random random(7);
  const VictimWalk walk(8);
  std::set<std::uint32_t> starts;
  std::set<std::uint32_t> strides;
  for (int round = 0; round != 200; ++round) {
    std::vector<std::uint32_t> order;
    walk.visit_all(random, [&](std::uint32_t index) {
      order.push_back(index);
      return order.size() == 2;
    });
    starts.insert(order[0]);
    strides.insert((order[1] + 8 - order[0]) % 8);
  }
  CHECK(starts == std::set<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(strides == std::set<std::uint32_t>{1, 3, 5, 7});
}

TEST_SUITE_END();

}  // namespace volt::sched
