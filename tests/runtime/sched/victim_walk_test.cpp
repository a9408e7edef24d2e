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

namespace {

struct Quarters {
  std::uint32_t workers;
  [[nodiscard]] bool several() const { return workers >= 8; }
  [[nodiscard]] std::uint32_t of(std::uint32_t worker) const { return worker * 4 / workers; }
};

}  // namespace

TEST_CASE("a walk can visit those at the thief's place first, and each index once") {
  Random random(7);
  const VictimWalk walk(24);
  for (std::uint32_t thief = 0; thief != 24; ++thief) {
    std::vector<std::uint32_t> order;
    CHECK_FALSE(walk.visit_near_first(random, Quarters(24), thief, [&](std::uint32_t index) {
      order.push_back(index);
      return false;
    }));
    const std::set<std::uint32_t> near(order.begin(), order.begin() + 6);
    const std::uint32_t first = thief / 6 * 6;
    CHECK(near == std::set<std::uint32_t>{first, first + 1, first + 2, first + 3, first + 4, first + 5});
    CHECK(std::set<std::uint32_t>(order.begin(), order.end()).size() == 24);
    CHECK(order.size() == 24);
  }
  int visits = 0;
  CHECK(walk.visit_near_first(random, Quarters(24), 0, [&](std::uint32_t) { return ++visits == 8; }));
  CHECK(visits == 8);
}

TEST_CASE("if there is one place, the walk is as any other") {
  Random random(7);
  const VictimWalk walk(4);
  std::set<std::uint32_t> first;
  for (int round = 0; round != 200; ++round) {
    walk.visit_near_first(random, Quarters(4), 0, [&](std::uint32_t index) { return first.insert(index), true; });
  }
  CHECK(first.size() == 4);
}

TEST_SUITE_END();

}  // namespace volt::sched
