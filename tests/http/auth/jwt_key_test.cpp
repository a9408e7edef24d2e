// SPDX-License-Identifier: MIT

#include "http/auth/jwt_key.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/crypto/jose_examples.h"

namespace volt::http::auth {
namespace {

namespace examples = crypto::examples;
using enum JwtAlgorithm;

constexpr JwtAlgorithm kAll[] = {hs256, hs384, hs512, rs256, rs384, rs512, ps256, es256, es384, es512, eddsa};

}  // namespace

TEST_SUITE_BEGIN("http/auth/jwt_key");

TEST_CASE("a secret is at least as long as its digest (RFC 7518 section 3.2)") {
  const struct {
    JwtAlgorithm algorithm;
    std::size_t bytes_min;
  } cases[] = {{hs256, 32}, {hs384, 48}, {hs512, 64}};
  for (const auto& [algorithm, bytes_min] : cases) {
    CHECK(JwtKey::from_secret(algorithm, std::vector<std::byte>(bytes_min)));
    const auto refused = JwtKey::from_secret(algorithm, std::vector<std::byte>(bytes_min - 1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == JwtKeyError::too_short);
  }
}

TEST_CASE("a key fits only the algorithms of its kind") {
  const struct {
    std::string why;
    std::string_view pem;
    std::vector<JwtAlgorithm> want;
  } cases[] = {
      {"RSA", examples::kRs256Key, {rs256, rs384, rs512, ps256}},
      {"P-256", examples::kEs256Key, {es256}},
      {"P-384", examples::kEs384Key, {es384}},
      {"P-521", examples::kEs512Key, {es512}},
      {"Ed25519", examples::kEdDsaKey, {eddsa}},
  };
  for (const auto& [why, pem, want] : cases) {
    CAPTURE(why);
    for (const JwtAlgorithm algorithm : kAll) {
      const auto key = JwtKey::from_pem(algorithm, pem);
      CHECK(key.has_value() == (std::ranges::find(want, algorithm) != want.end()));
      if (!key) CHECK(key.error() == JwtKeyError::wrong_algorithm);
    }
  }
}

TEST_CASE("a public key is not accepted as a secret, and a secret is not accepted for RSA") {
  const std::vector<std::byte> secret(64);
  for (const JwtAlgorithm algorithm : {rs256, es256, eddsa}) {
    CHECK(JwtKey::from_secret(algorithm, secret).error() == JwtKeyError::wrong_algorithm);
  }
}

TEST_CASE("each key that libcrypto rejects has an error") {
  CHECK(JwtKey::from_pem(rs256, "none").error() == JwtKeyError::malformed);
  CHECK(JwtKey::from_pem(rs256, examples::kShortRsaKey).error() == JwtKeyError::too_short);
  CHECK(JwtKey::from_pem(es256, examples::kSecp256k1Key).error() == JwtKeyError::unsupported);
}

TEST_CASE("algorithms are spelled as in RFC 7518") {
  std::string names;
  for (const JwtAlgorithm algorithm : kAll) names += std::string(algorithm_name(algorithm)) + " ";
  CHECK(names == "HS256 HS384 HS512 RS256 RS384 RS512 PS256 ES256 ES384 ES512 EdDSA ");
  for (const JwtAlgorithm algorithm : kAll) CHECK(find_algorithm(algorithm_name(algorithm)) == algorithm);
  for (const std::string_view name : {"none", "None", "", "hs256", "RS1", "ES256K"}) CHECK_FALSE(find_algorithm(name));
}

TEST_SUITE_END();
}  // namespace volt::http::auth
