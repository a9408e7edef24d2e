#include "crypto/equal.h"

#include <doctest/doctest.h>

#include <string>

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/equal");

TEST_CASE("equal is equality, whichever byte differs") {
  const std::string secret = "a secret of 24 bytes....";
  CHECK(equal(secret, std::string(secret)));
  for (std::size_t i = 0; i < secret.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = secret;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      CHECK_FALSE(equal(secret, other));
      CHECK_FALSE(equal_passwords(secret, other));
    }
  }
}

TEST_CASE("lengths differ, so do secrets") {
  using namespace std::string_view_literals;
  CHECK(equal(""sv, ""sv));
  CHECK(equal(std::string_view{}, ""sv));
  CHECK_FALSE(equal("a"sv, ""sv));
  CHECK_FALSE(equal("a"sv, "a\0"sv));
  CHECK_FALSE(equal("ab"sv, "abc"sv));
  CHECK(equal_passwords("open sesame", "open sesame"));
  CHECK_FALSE(equal_passwords("a"sv, "a\0"sv));
  CHECK_FALSE(equal_passwords("", "a"));
}

TEST_SUITE_END();
}  // namespace volt::crypto
