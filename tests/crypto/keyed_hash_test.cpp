// SPDX-License-Identifier: MIT

#include "crypto/keyed_hash.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/keyed_hash");

TEST_CASE("keyed_hash() has the SipHash-2-4 values of the paper's appendix A and of the reference implementation") {
  const HashKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string text;
  for (int byte = 0; byte < 15; ++byte) text += static_cast<char>(byte);
  CHECK(keyed_hash(key, text) == 0xa129ca6149be45e5);
  CHECK(keyed_hash(key, "") == 0x726fdb47dd0e0e31);
  CHECK(keyed_hash(key, text.substr(0, 1)) == 0x74f839c593dc67fd);
  CHECK(keyed_hash(key, text.substr(0, 8)) == 0x93f5f5799a932462);
}

TEST_CASE("texts of zeros of different lengths, and different keys, give different hashes") {
  const HashKey key = random_hash_key();
  std::set<std::uint64_t> seen;
  for (std::size_t bytes = 0; bytes < 40; ++bytes) seen.insert(keyed_hash(key, std::string(bytes, '\0')));
  CHECK(seen.size() == 40);
  CHECK(keyed_hash(key, "a") != keyed_hash(random_hash_key(), "a"));
}

TEST_SUITE_END();
}  // namespace volt::crypto
