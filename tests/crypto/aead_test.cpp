// SPDX-License-Identifier: MIT

#include "crypto/aead.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "crypto/bytes.h"

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/aead");

TEST_CASE("a sealed message of any length can be opened") {
  const SecretKey key = random_key();
  for (const std::size_t bytes : {0, 1, 15, 16, 17, 4000}) {
    const std::string text(bytes, 'x');
    const auto sealed = seal(key, as_bytes(text), as_bytes("cookie"));
    CHECK(sealed.size() == bytes + kSealBytes);
    const auto opened = open(key, sealed, as_bytes("cookie"));
    REQUIRE(opened);
    CHECK(std::string(as_text(*opened)) == text);
  }
}

TEST_CASE("a sealed message with one bit changed anywhere is rejected") {
  const SecretKey key = random_key();
  const auto sealed = seal(key, as_bytes("balance: 100"), as_bytes("account 7"));
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    auto altered = sealed;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    CHECK_FALSE(open(key, altered, as_bytes("account 7")));
  }
  for (std::size_t bytes = 0; bytes < sealed.size(); ++bytes) {
    CHECK_FALSE(open(key, std::span(sealed).first(bytes), as_bytes("account 7")));
  }
}

TEST_CASE("a sealed message is rejected with other associated data or another key") {
  const SecretKey key = random_key();
  const auto sealed = seal(key, as_bytes("balance: 100"), as_bytes("account 7"));
  CHECK_FALSE(open(key, sealed, as_bytes("account 8")));
  CHECK_FALSE(open(key, sealed));
  CHECK_FALSE(open(random_key(), sealed, as_bytes("account 7")));
}

TEST_CASE("sealing one text twice gives different messages") {
  const SecretKey key = random_key();
  std::set<std::vector<std::byte>> seen;
  for (int i = 0; i < 64; ++i) seen.insert(seal(key, as_bytes("hello")));
  CHECK(seen.size() == 64);
}

TEST_SUITE_END();
}  // namespace volt::crypto
