// SPDX-License-Identifier: MIT

#include "crypto/random.h"

#include <doctest/doctest.h>

#include <array>

TEST_SUITE_BEGIN("crypto/random");

TEST_CASE("two calls of fill_random() give different bytes") {
  std::array<std::byte, 32> one{};
  std::array<std::byte, 32> two{};
  volt::crypto::fill_random(one);
  volt::crypto::fill_random(two);
  CHECK(one != two);
  CHECK(one != std::array<std::byte, 32>{});
}

TEST_CASE("random_fraction() is at least 0, below 1, and spread between them") {
  int low = 0;
  for (int i = 0; i != 1000; ++i) {
    const double drawn = volt::crypto::random_fraction();
    CHECK(drawn >= 0);
    CHECK(drawn < 1);
    if (drawn < 0.5) ++low;
  }
  CHECK(low > 300);  // of a fair generator in all but one of 10^37 runs
  CHECK(low < 700);
}
