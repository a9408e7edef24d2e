// SPDX-License-Identifier: MIT

#include "runtime/sched/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/random");

TEST_CASE("equal seeds give equal sequences and neighboring seeds do not") {
  Random one(1);
  Random same(1);
  Random next(2);
  int equal_to_neighbour = 0;
  for (int i = 0; i != 1000; ++i) {
    const std::uint32_t number = one.next();
    CHECK(number == same.next());
    equal_to_neighbour += number == next.next() ? 1 : 0;
  }
  CHECK(equal_to_neighbour < 3);
}

TEST_CASE("no seed produces a stuck generator") {
  for (std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x61c8864680b583eb}, ~std::uint64_t{0}}) {
    CAPTURE(seed);
    Random random(seed);
    std::set<std::uint32_t> seen;
    for (int i = 0; i != 1000; ++i) seen.insert(random.next());
    CHECK(seen.size() > 990);
  }
}

TEST_CASE("below() stays below its bound and reaches every number about equally often") {
  struct Case {
    const char* why;
    std::uint32_t bound;
  };
  const Case cases[] = {
      {"nothing to choose", 1}, {"a coin", 2}, {"not a power of two", 3}, {"some workers", 7}, {"a full word", 32}};
  for (const auto& [why, bound] : cases) {
    CAPTURE(why);
    Random random(bound);
    std::array<int, 32> hits{};
    const int draws = 2000 * static_cast<int>(bound);
    for (int i = 0; i != draws; ++i) {
      const std::uint32_t number = random.below(bound);
      REQUIRE(number < bound);
      ++hits[number];
    }
    const auto [fewest, most] = std::minmax_element(hits.begin(), hits.begin() + bound);
    CHECK(*fewest > 1750);  // 2000 expected, standard deviation below 45
    CHECK(*most < 2250);
  }
}

TEST_CASE("below() is not biased towards small numbers for a huge bound") {
  // Without the rejection step, a third of the results would come up twice as often.
  const std::uint32_t bound = 3u << 30;
  Random random(42);
  int in_lowest_third = 0;
  for (int i = 0; i != 30'000; ++i) in_lowest_third += random.below(bound) < bound / 3 ? 1 : 0;
  CHECK(in_lowest_third > 9'600);
  CHECK(in_lowest_third < 10'400);
}

TEST_CASE("below(0) is 0") { CHECK(Random(1).below(0) == 0); }

TEST_SUITE_END();

}  // namespace volt::sched
