// SPDX-License-Identifier: MIT

#include "crypto/password_hash.h"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "crypto/internal/argon2.h"
#include "tests/crypto/hex.h"

namespace volt::crypto {
namespace {

constexpr PasswordCost kCheap{.memory_kib = 64, .passes = 1, .lanes = 1};

std::vector<std::byte> repeated(std::size_t size, int value) { return {size, static_cast<std::byte>(value)}; }

Pepper pepper(const std::string& id, int value) { return {.id = id, .secret = SecretBytes(repeated(32, value))}; }

}  // namespace

TEST_SUITE_BEGIN("crypto/password_hash");

TEST_CASE("the example of RFC 9106 section 5.3, with a secret and associated data") {
  const auto password = repeated(32, 1);
  const auto salt = repeated(16, 2);
  const auto secret = repeated(8, 3);
  const auto associated = repeated(12, 4);
  std::array<std::byte, 32> tag{};
  internal::argon2id({.password = password,
                      .salt = salt,
                      .secret = secret,
                      .associated = associated,
                      .memory_kib = 32,
                      .passes = 3,
                      .lanes = 4},
                     tag);
  CHECK(to_hex(tag) == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
}

TEST_CASE("hashes of the reference implementation are verified") {
  struct Case {
    const char* password;
    const char* hash;
  };
  const Case cases[] = {
      {"password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"},
      {"password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"},
      {"password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"},
      {"differentpassword", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94"},
  };
  for (const auto& [password, hash] : cases) {
    CAPTURE(hash);
    CHECK(verify_password(password, hash));
    CHECK(!verify_password("passwore", hash));
    CHECK(needs_rehash(hash));
  }
}

TEST_CASE("a hash has its cost and a salt of its own, and matches its password only") {
  const std::string hash = hash_password("secret", kCheap);
  CHECK(hash.starts_with("$argon2id$v=19$m=64,t=1,p=1$"));
  CHECK(hash != hash_password("secret", kCheap));
  CHECK(verify_password("secret", hash));
  CHECK(!verify_password("Secret", hash));
  CHECK(!verify_password("", hash));
  CHECK(verify_password("", hash_password("", kCheap)));
  const std::string bytes("a\0b", 3);
  CHECK(verify_password(bytes, hash_password(bytes, kCheap)));
  CHECK(!verify_password("a", hash_password(bytes, kCheap)));
  CHECK(!needs_rehash(hash, kCheap));
  CHECK(needs_rehash(hash, {.memory_kib = 128, .passes = 1, .lanes = 1}));
  CHECK(needs_rehash(hash, {.memory_kib = 64, .passes = 2, .lanes = 1}));
}

TEST_CASE("a pepper is needed to verify, and is replaced by another") {
  const std::vector<Pepper> old{pepper("1", 7)};
  const std::vector<Pepper> both{pepper("2", 8), pepper("1", 7)};
  const std::vector<Pepper> wrong{pepper("1", 9)};
  const std::string hash = hash_password("secret", kCheap, old);
  CHECK(hash.find(",keyid=MQ$") != std::string::npos);
  CHECK(verify_password("secret", hash, old));
  CHECK(verify_password("secret", hash, both));
  CHECK(!verify_password("secret", hash, wrong));
  CHECK(!verify_password("secret", hash));
  CHECK(!needs_rehash(hash, kCheap, old));
  CHECK(needs_rehash(hash, kCheap, both));
  CHECK(needs_rehash(hash, kCheap));
  CHECK(needs_rehash(hash_password("secret", kCheap), kCheap, old));
}

TEST_CASE("malformed hashes match nothing, and those that cost too much are not computed") {
  const std::string tail = "$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  for (const std::string& hash :
       {std::string(), std::string("$argon2id$"), "$argon2i$v=19$m=256,t=2,p=1" + tail,
        "$argon2id$v=16$m=256,t=2,p=1" + tail, "$argon2id$v=19$m=256,t=2" + tail, "$argon2id$v=19$m=256,t=0,p=1" + tail,
        "$argon2id$v=19$m=7,t=2,p=1" + tail, "$argon2id$v=19$m=256,t=2,p=0" + tail,
        "$argon2id$v=19$m=256,t=2,p=1" + tail + "$", "$argon2id$v=19$m=256,t=2,p=1" + tail + "=",
        "$argon2id$v=19$m=256,t=2,p=1,keyid=" + tail, "$argon2id$v=19$m=4294967295,t=2,p=1" + tail,
        "$argon2id$v=19$m=256,t=99,p=1" + tail, std::string("$argon2id$v=19$m=256,t=2,p=1$c29t$AAAA"), "x" + tail}) {
    CAPTURE(hash);
    CHECK(!verify_password("password", hash));
    CHECK(needs_rehash(hash));
  }
  CHECK(!verify_password(std::string(kPasswordBytesMax + 1, 'x'), hash_password("x", kCheap)));
}

TEST_CASE("limits are checked") {
  CHECK_THROWS_AS(static_cast<void>(hash_password("x", {.memory_kib = 7})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(hash_password("x", {.passes = 0})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(hash_password("x", {.lanes = 17})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(hash_password(std::string(kPasswordBytesMax + 1, 'x'), kCheap)),
                  std::invalid_argument);
  const std::vector<Pepper> unnamed{pepper("", 1)};
  CHECK_THROWS_AS(static_cast<void>(hash_password("x", kCheap, unnamed)), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::crypto
