// SPDX-License-Identifier: MIT

#include "crypto/secret_key.h"

#include <doctest/doctest.h>

#include "crypto/bytes.h"
#include "tests/crypto/hex.h"

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/secret_key");

TEST_CASE("derive_key() gives the first bytes of HKDF-SHA256 (RFC 5869 appendix A)") {
  const auto secret = from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b");
  const auto salt = from_hex("000102030405060708090a0b0c");
  const auto info = from_hex("f0f1f2f3f4f5f6f7f8f9");
  CHECK(to_hex(derive_key(secret, as_text(info), salt)) ==
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");  // A.1
  CHECK(to_hex(derive_key(secret, "")) ==
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");  // A.3: no salt, no info
}

TEST_CASE("different labels, secrets and salts give different keys") {
  const auto secret = random_key();
  CHECK(derive_key(secret, "cookie") == derive_key(secret, "cookie"));
  CHECK(derive_key(secret, "cookie") != derive_key(secret, "token"));
  CHECK(derive_key(secret, "cookie") != derive_key(random_key(), "cookie"));
  CHECK(derive_key(secret, "cookie") != derive_key(secret, "cookie", as_bytes("salt")));
}

TEST_SUITE_END();
}  // namespace volt::crypto
