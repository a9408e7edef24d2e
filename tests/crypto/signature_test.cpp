// SPDX-License-Identifier: MIT

#include "crypto/signature.h"

#include <doctest/doctest.h>
#include <openssl/err.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "crypto/private_key.h"
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
    {"PS256", ps256, KeyKind::rsa, examples::kRs256Key, examples::kPs256Token},
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
    for (const SignatureAlgorithm other : {rs256, rs384, rs512, ps256, es256, es384, es512, ed25519}) {
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

TEST_CASE("PS256 requires a salt as long as its digest") {
  const auto [data, signature] = split(examples::kPs256ShortSaltToken);
  CHECK_FALSE(PublicKey::from_pem(examples::kRs256Key).value().verify(ps256, as_bytes(data), signature));
}

TEST_CASE("a key is made from its numbers, and gives them back") {
  for (const auto& [why, algorithm, kind, pem, token] : kExamples) {
    CAPTURE(why);
    const PublicNumbers numbers = PublicKey::from_pem(pem).value().numbers();
    const auto key = PublicKey::from_numbers(kind, numbers);
    REQUIRE(key);
    CHECK(key->kind() == kind);
    CHECK(key->numbers().first == numbers.first);
    CHECK(key->numbers().second == numbers.second);
    const auto [data, signature] = split(token);
    CHECK(key->verify(algorithm, as_bytes(data), signature));
  }
}

TEST_CASE("numbers that are no key are rejected") {
  const PublicNumbers rsa = PublicKey::from_pem(examples::kRs256Key).value().numbers();
  const PublicNumbers point = PublicKey::from_pem(examples::kEs256Key).value().numbers();
  const PublicNumbers edwards = PublicKey::from_pem(examples::kEdDsaKey).value().numbers();
  const auto bytes = [](std::size_t count) { return std::vector<std::byte>(count, std::byte{1}); };
  const auto with_zero = [](std::vector<std::byte> number) {
    number.insert(number.begin(), std::byte{0});
    return number;
  };
  auto off_curve = point;
  off_curve.second.back() ^= std::byte{1};
  auto even = rsa;
  even.first.back() ^= std::byte{1};
  const struct {
    std::string why;
    KeyKind kind;
    PublicNumbers numbers;
    KeyError want;
  } cases[] = {
      {"RSA: nothing", KeyKind::rsa, {}, KeyError::malformed},
      {"RSA: no exponent", KeyKind::rsa, {rsa.first, {}}, KeyError::malformed},
      {"RSA: exponent 1", KeyKind::rsa, {rsa.first, bytes(1)}, KeyError::malformed},
      {"RSA: exponent 1 with a zero", KeyKind::rsa, {rsa.first, with_zero(bytes(1))}, KeyError::malformed},
      {"RSA: an even exponent", KeyKind::rsa, {rsa.first, {std::byte{2}}}, KeyError::malformed},
      {"RSA: a huge exponent", KeyKind::rsa, {rsa.first, rsa.first}, KeyError::malformed},
      {"RSA: an even modulus", KeyKind::rsa, even, KeyError::malformed},
      {"RSA: a huge modulus", KeyKind::rsa, {bytes(2049), rsa.second}, KeyError::malformed},
      {"RSA: a short modulus", KeyKind::rsa, {bytes(128), rsa.second}, KeyError::too_short},
      {"P-256: not on the curve", KeyKind::p256, off_curve, KeyError::malformed},
      {"P-256: x has a leading zero", KeyKind::p256, {with_zero(point.first), point.second}, KeyError::malformed},
      {"P-256: no y", KeyKind::p256, {point.first, {}}, KeyError::malformed},
      {"P-384: a point of P-256", KeyKind::p384, point, KeyError::malformed},
      {"Ed25519: 31 bytes", KeyKind::ed25519, {bytes(31), {}}, KeyError::malformed},
      {"Ed25519: more numbers", KeyKind::ed25519, {edwards.first, bytes(1)}, KeyError::malformed},
  };
  for (const auto& [why, kind, numbers, want] : cases) {
    CAPTURE(why);
    const auto key = PublicKey::from_numbers(kind, numbers);
    REQUIRE_FALSE(key);
    CHECK(key.error() == want);
    CHECK(ERR_peek_error() == 0);
  }
}

TEST_CASE("the examples with deterministic signatures are signed as in the RFCs") {
  const struct {
    std::string why;
    SignatureAlgorithm algorithm;
    std::string_view key, token;
  } cases[] = {
      {"RS256, RFC 7515 A.2", rs256, examples::kRs256PrivateKey, examples::kRs256Token},
      {"EdDSA, RFC 8037 A.4", ed25519, examples::kEdDsaPrivateKey, examples::kEdDsaToken},
  };
  for (const auto& [why, algorithm, pem, token] : cases) {
    CAPTURE(why);
    const auto [data, signature] = split(token);
    CHECK(PrivateKey::from_pem(pem).value().sign(algorithm, as_bytes(data)) == signature);
  }
  const auto key = PrivateKey::from_pem(examples::kEs256PrivateKey).value();
  CHECK(key.public_key().numbers().first == PublicKey::from_pem(examples::kEs256Key).value().numbers().first);
}

TEST_CASE("what a private key signs is verified by its public key only, with this algorithm only") {
  for (const SignatureAlgorithm algorithm : {rs256, rs384, rs512, ps256, es256, es384, es512, ed25519}) {
    CAPTURE(static_cast<int>(algorithm));
    const PrivateKey key = key_kind(algorithm) == KeyKind::rsa  // making one takes long
                               ? PrivateKey::from_pem(examples::kRs256PrivateKey).value()
                               : PrivateKey::generate(key_kind(algorithm));
    CHECK(key.kind() == key_kind(algorithm));
    for (int i = 0; i < 20; ++i) {  // r and s of ECDSA are now and then shorter than the order
      const std::string data = "data " + std::to_string(i);
      const auto signature = key.sign(algorithm, as_bytes(data));
      CHECK(key.public_key().verify(algorithm, as_bytes(data), signature));
      CHECK_FALSE(key.public_key().verify(algorithm, as_bytes("other data"), signature));
    }
    for (const SignatureAlgorithm other : {rs256, es256, es384, es512, ed25519}) {
      if (key_kind(other) != key.kind()) CHECK_THROWS_AS(key.sign(other, {}), std::invalid_argument);
    }
  }
}

TEST_CASE("a PEM that is no usable private key is rejected") {
  CHECK(PrivateKey::from_pem("").error() == KeyError::malformed);
  CHECK(PrivateKey::from_pem(examples::kRs256Key).error() == KeyError::malformed);
  CHECK(PrivateKey::from_pem(std::string(examples::kEs256PrivateKey).substr(0, 100)).error() == KeyError::malformed);
  CHECK(ERR_peek_error() == 0);
}

TEST_SUITE_END();
}  // namespace volt::crypto
