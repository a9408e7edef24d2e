// SPDX-License-Identifier: MIT

#include "crypto/constant_time_equal.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/constant_time_equal");

TEST_CASE("constant_time_equal() detects a difference in any byte") {
  const std::string secret = "a secret of 24 bytes....";
  CHECK(constant_time_equal(secret, std::string(secret)));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = secret;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      CHECK_FALSE(constant_time_equal(secret, other));
      CHECK_FALSE(equal_passwords(secret, other));
    }
  }
}

TEST_CASE("secrets of different lengths are not equal") {
  using namespace std::string_view_literals;
  CHECK(constant_time_equal(""sv, ""sv));
  CHECK(constant_time_equal(std::string_view{}, ""sv));
  CHECK_FALSE(constant_time_equal("a"sv, ""sv));
  CHECK_FALSE(constant_time_equal("a"sv, "a\0"sv));
  CHECK_FALSE(constant_time_equal("ab"sv, "abc"sv));
  CHECK(equal_passwords("open sesame", "open sesame"));
  CHECK_FALSE(equal_passwords("a"sv, "a\0"sv));
  CHECK_FALSE(equal_passwords("", "a"));
}

TEST_SUITE_END();
}  // namespace volt::crypto
