// SPDX-License-Identifier: MIT

#include "crypto/internal/aes_gcm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/crypto/hex.h"

namespace volt::crypto::internal {
namespace {

template <class Array>
Array array_of(const std::string& hex) {
  const auto bytes = from_hex(hex);
  Array array{};
  REQUIRE(bytes.size() == array.size());
  std::ranges::copy(bytes, array.begin());
  return array;
}

}  // namespace

TEST_SUITE_BEGIN("crypto/internal/aes_gcm");

TEST_CASE("AES-256-GCM has the values of the GCM submission to NIST (McGrew and Viega), appendix B") {
  const std::string no_key(64, '0');
  const std::string no_nonce(24, '0');
  const std::string key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
  const std::string nonce = "cafebabefacedbaddecaf888";
  const std::string text =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
  const std::string cipher =
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
      "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662";
  const struct {
    std::string why, key, nonce, plaintext, associated, ciphertext, tag;
  } cases[] = {
      {"case 13: no data", no_key, no_nonce, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
      {"case 14: one block", no_key, no_nonce, std::string(32, '0'), "", "cea7403d4d606b6e074ec5d3baf39d18",
       "d0d1c8a799996bf0265b98b5d48ab919"},
      {"case 15: whole blocks", key, nonce, text + "1aafd255", "", cipher + "898015ad",
       "b094dac5d93471bdec1a502270e3cc6c"},
      {"case 16: associated data", key, nonce, text, "feedfacedeadbeeffeedfacedeadbeefabaddad2", cipher,
       "76fc6ece0f4e1768cddf8853bb2d551b"},
  };
  for (const auto& [why, key_hex, nonce_hex, plaintext, associated, ciphertext, tag] : cases) {
    CAPTURE(why);
    const auto secret = array_of<SecretKey>(key_hex);
    const auto once = array_of<GcmNonce>(nonce_hex);
    std::vector<std::byte> sealed;
    gcm_seal(secret, once, from_hex(plaintext), from_hex(associated), sealed);
    CHECK(to_hex(sealed) == ciphertext + tag);
    CHECK(gcm_open(secret, once, sealed, from_hex(associated)) == from_hex(plaintext));
  }
}

TEST_CASE("aes_block() has the value of FIPS 197 appendix C.3") {
  const auto key = array_of<SecretKey>("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  using Block = std::array<std::byte, 16>;
  CHECK(to_hex(aes_block(key, array_of<Block>("00112233445566778899aabbccddeeff"))) ==
        "8ea2b7ca516745bfeafc49904b496089");
}

TEST_CASE("a message shorter than a tag is rejected") {
  for (std::size_t bytes = 0; bytes < kTagBytes; ++bytes) {
    CHECK_FALSE(gcm_open(SecretKey{}, GcmNonce{}, std::vector<std::byte>(bytes), {}));
  }
}

TEST_SUITE_END();
}  // namespace volt::crypto::internal
