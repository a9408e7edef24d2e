// SPDX-License-Identifier: MIT

#include "crypto/digest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "tests/crypto/hex.h"

namespace volt::crypto {
TEST_SUITE_BEGIN("crypto/digest");

TEST_CASE("SHA-1 and SHA-256 have the values of RFC 6234 section 8.5 and FIPS 180-4") {
  const struct {
    std::string why, data, sha1, sha256;
  } cases[] = {
      {"nothing", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"TEST1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"TEST2", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"TEST3", std::string(1'000'000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& [why, data, want_sha1, want_sha256] : cases) {
    CAPTURE(why);
    CHECK(to_hex(sha1(data)) == want_sha1);
    CHECK(to_hex(sha256(data)) == want_sha256);
    CHECK(sha256(as_bytes(data)) == sha256(data));
  }
}

TEST_CASE("SHA-384 and SHA-512 have the values of FIPS 180-4") {
  CHECK(to_hex(sha384("abc")) ==
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7");
  CHECK(to_hex(sha512("abc")) ==
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  CHECK(sha384(as_bytes("abc")) == sha384("abc"));
  CHECK(sha512(as_bytes("abc")) == sha512("abc"));
}

TEST_CASE("SHA-1 gives the WebSocket handshake value of RFC 6455 section 1.3") {
  const Sha1 digest = sha1("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  CHECK(base64_encode(digest) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_SUITE_END();
}  // namespace volt::crypto
