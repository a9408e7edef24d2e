// SPDX-License-Identifier: MIT

#include "crypto/signature.h"

#include <doctest/doctest.h>
#include <openssl/err.h>

#include <optional>
#include <string>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "tests/crypto/jose_examples.h"

namespace volt::crypto {
namespace {

using enum SignatureAlgorithm;

struct Example {
  std::string why;
  SignatureAlgorithm algorithm;
  KeyKind kind;
  std::string_view key, token;
};

const Example kExamples[] = {
    {"RS256, RFC 7515 A.2", rs256, KeyKind::rsa, examples::kRs256Key, examples::kRs256Token},
    {"RS384", rs384, KeyKind::rsa, examples::kRs384Key, examples::kRs384Token},
    {"RS512", rs512, KeyKind::rsa, examples::kRs384Key, examples::kRs512Token},
    {"ES256, RFC 7515 A.3", es256, KeyKind::p256, examples::kEs256Key, examples::kEs256Token},
    {"ES384", es384, KeyKind::p384, examples::kEs384Key, examples::kEs384Token},
    {"ES512, RFC 7515 A.4", es512, KeyKind::p521, examples::kEs512Key, examples::kEs512Token},
    {"EdDSA, RFC 8037 A.4", ed25519, KeyKind::ed25519, examples::kEdDsaKey, examples::kEdDsaToken},
};

struct Signed {
  std::string data;
  std::vector<std::byte> signature;
};

Signed split(std::string_view token) {
  const std::size_t dot = token.rfind('.');
  return {std::string(token.substr(0, dot)), base64url_decode(token.substr(dot + 1)).value()};
}

}  // namespace

TEST_SUITE_BEGIN("crypto/signature");

TEST_CASE("the examples verify, and fail to verify with one bit changed") {
  for (const auto& [why, algorithm, kind, pem, token] : kExamples) {
    CAPTURE(why);
    const auto key = PublicKey::from_pem(pem);
    REQUIRE(key);
    CHECK(key->kind() == kind);
    const auto [data, signature] = split(token);
    CHECK(key->verify(algorithm, as_bytes(data), signature));

    std::string other_data = data;
    other_data.back() ^= 1;
    CHECK_FALSE(key->verify(algorithm, as_bytes(other_data), signature));
    for (std::size_t i = 0; i < signature.size(); i += 7) {
      auto altered = signature;
      altered[i] ^= std::byte{0x10};
      CHECK_FALSE(key->verify(algorithm, as_bytes(data), altered));
    }
  }
}

TEST_CASE("verification fails for an algorithm that does not belong to the key") {
  for (const auto& [why, algorithm, kind, pem, token] : kExamples) {
    CAPTURE(why);
    const auto key = PublicKey::from_pem(pem).value();
    const auto [data, signature] = split(token);
    for (const SignatureAlgorithm other : {rs256, rs384, rs512, es256, es384, es512, ed25519}) {
      CHECK(key.verify(other, as_bytes(data), signature) == (other == algorithm));
    }
  }
}

TEST_CASE("malformed signatures are rejected") {
  for (const auto& [why, algorithm, kind, pem, token] : kExamples) {
    CAPTURE(why);
    const auto key = PublicKey::from_pem(pem).value();
    const auto [data, signature] = split(token);
    auto longer = signature;
    longer.push_back(std::byte{0});
    CHECK_FALSE(key.verify(algorithm, as_bytes(data), longer));
    CHECK_FALSE(key.verify(algorithm, as_bytes(data), std::span(signature).first(signature.size() - 1)));
    CHECK_FALSE(key.verify(algorithm, as_bytes(data), {}));
    // r = s = 0 satisfies a verifier that does not check their range (CVE-2022-21449).
    CHECK_FALSE(key.verify(algorithm, as_bytes(data), std::vector<std::byte>(signature.size())));
    CHECK_FALSE(key.verify(algorithm, as_bytes(data), std::vector<std::byte>(signature.size(), std::byte{0xff})));
  }
}

TEST_CASE("malformed, unsupported and short keys are rejected") {
  const std::string good(examples::kEs256Key);
  std::string off_curve = good;
  off_curve[off_curve.find('\n') + 60] ^= 1;
  const struct {
    std::string why, pem;
    KeyError want;
  } cases[] = {
      {"nothing", "", KeyError::malformed},
      {"no PEM", "secret", KeyError::malformed},
      {"cut off", good.substr(0, good.size() / 2), KeyError::malformed},
      {"another label", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", KeyError::malformed},
      {"not ASN.1", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", KeyError::malformed},
      {"a point that is not on its curve", off_curve, KeyError::malformed},
      {"an encrypted key: no password prompt",
       "-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,"
       "00112233445566778899AABBCCDDEEFF\n\nAAAAAAAAAAAAAAAAAAAAAA==\n-----END PUBLIC KEY-----\n",
       KeyError::malformed},
      {"RSA of 1024 bits", std::string(examples::kShortRsaKey), KeyError::too_short},
      {"secp256k1", std::string(examples::kSecp256k1Key), KeyError::unsupported},
      {"X25519, which cannot sign", std::string(examples::kX25519Key), KeyError::unsupported},
  };
  for (const auto& [why, pem, want] : cases) {
    CAPTURE(why);
    const auto key = PublicKey::from_pem(pem);
    REQUIRE_FALSE(key);
    CHECK(key.error() == want);
  }
}

TEST_CASE("a failure leaves no error in the thread's error queue, which TLS reads") {
  ERR_clear_error();
  CHECK_FALSE(PublicKey::from_pem("secret"));
  CHECK_FALSE(PublicKey::from_pem(examples::kSecp256k1Key));
  const auto key = PublicKey::from_pem(examples::kRs256Key).value();
  CHECK_FALSE(key.verify(rs256, as_bytes("data"), std::vector<std::byte>(256, std::byte{0xff})));
  CHECK(ERR_peek_error() == 0);
}

TEST_CASE("a copy of a PublicKey outlives its original") {
  std::optional<PublicKey> original = PublicKey::from_pem(examples::kEdDsaKey).value();
  const PublicKey copy = *original;
  original.reset();
  const auto [data, signature] = split(examples::kEdDsaToken);
  CHECK(copy.verify(ed25519, as_bytes(data), signature));
}

TEST_SUITE_END();
}  // namespace volt::crypto
