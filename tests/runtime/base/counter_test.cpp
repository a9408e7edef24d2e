// SPDX-License-Identifier: MIT

#include "runtime/base/counter.h"

#include <doctest/doctest.h>

#include <thread>

namespace volt::base {

TEST_SUITE_BEGIN("runtime/base/counter");

TEST_CASE("a counter counts up and down, and the sum of several is right though one is below zero") {
  Counter first;
  Counter second;
  CHECK(first.value() == 0);
  first.add();
  first.add(5);
  second.subtract(2);
  CHECK(first.value() == 6);
  CHECK(first.value() + second.value() == 4);
  second.subtract(0);
  second.add(2);
  CHECK(second.value() == 0);
}

TEST_CASE("readers see the number grow while one thread writes") {
  constexpr std::uint64_t kIncrements = 100'000;
  Counter counter;
  std::thread writer([&] {
    for (std::uint64_t i = 0; i != kIncrements; ++i) counter.add();
  });
  std::uint64_t seen = 0;
  while (seen != kIncrements) {
    const std::uint64_t now = counter.value();
    REQUIRE(now >= seen);
    seen = now;
  }
  writer.join();
  CHECK(counter.value() == kIncrements);
}

TEST_SUITE_END();

}  // namespace volt::base
