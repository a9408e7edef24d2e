// SPDX-License-Identifier: MIT

#include "crypto/internal/xaes_gcm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "crypto/bytes.h"
#include "tests/crypto/hex.h"

namespace volt::crypto::internal {
TEST_SUITE_BEGIN("crypto/internal/xaes_gcm");

// With the two keys, AES of zeros begins with a clear and a set bit; the doubling for CMAC's subkey treats the two
// cases differently.
TEST_CASE("XAES-256-GCM has the values of C2SP's test vectors") {
  const struct {
    std::string why;
    std::byte key;
    std::string associated, sealed;
  } cases[] = {
      {"top bit clear", std::byte{1}, "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
      {"top bit set", std::byte{3}, "c2sp.org/XAES-256-GCM",
       "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
  };
  for (const auto& [why, byte, associated, want] : cases) {
    CAPTURE(why);
    SecretKey key;
    key.fill(byte);
    XaesNonce nonce;
    std::ranges::copy(as_bytes("ABCDEFGHIJKLMNOPQRSTUVWX"), nonce.begin());
    std::vector<std::byte> sealed;
    xaes_seal(key, nonce, as_bytes("XAES-256-GCM"), as_bytes(associated), sealed);
    CHECK(to_hex(sealed) == want);
    const auto opened = xaes_open(key, nonce, sealed, as_bytes(associated));
    REQUIRE(opened);
    CHECK(std::string(as_text(*opened)) == "XAES-256-GCM");
  }
}

TEST_SUITE_END();
}  // namespace volt::crypto::internal
