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
