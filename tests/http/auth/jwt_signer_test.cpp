// SPDX-License-Identifier: MIT

#include "http/auth/jwt_signer.h"

#include <doctest/doctest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "http/auth/jwt.h"
#include "tests/crypto/jose_examples.h"
#include "tests/http/auth/signed_token.h"

namespace volt::http::auth {
namespace {

using namespace std::chrono_literals;
namespace examples = crypto::examples;
using enum JwtAlgorithm;

constexpr std::chrono::sys_seconds kNow{1'700'000'000s};

struct Claims {
  std::string sub;
  std::string scope;
};

JwtSigningKey signing_key(JwtAlgorithm algorithm, std::string id = {}) {
  const auto secret = crypto::as_bytes(kTestSecret);
  if (!signature_algorithm(algorithm)) return JwtSigningKey::from_secret(algorithm, secret, std::move(id)).value();
  if (algorithm == rs256 || algorithm == ps256)  // making an RSA key takes long
    return JwtSigningKey::from_pem(algorithm, examples::kRs256PrivateKey, std::move(id)).value();
  return JwtSigningKey::generate(algorithm, std::move(id));
}

std::string part(const std::string& token, std::size_t index) {
  std::size_t begin = 0;
  for (; index != 0; --index) begin = token.find('.', begin) + 1;
  const auto bytes = crypto::base64url_decode(token.substr(begin, token.find('.', begin) - begin));
  return std::string(crypto::as_text(bytes.value()));
}

std::vector<std::string> ids(const JwtSigner& signer) {
  std::vector<std::string> out;
  for (const JwtKey& key : signer.verification_keys()) out.emplace_back(key.id());
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("http/auth/jwt_signer");

TEST_CASE("a token of each algorithm is verified by the signer's keys only") {
  const JwtOptions expected{.issuer = "https://id.example", .audience = "orders", .leeway = 0s};
  for (const JwtAlgorithm algorithm : {hs256, rs256, ps256, es256, es512, eddsa}) {
    CAPTURE(std::string(algorithm_name(algorithm)));
    const JwtSigner signer(signing_key(algorithm),
                           {.issuer = "https://id.example", .audience = "orders", .lifetime = 100s});
    const std::string token = signer.sign(Claims{"ann", "orders:read"}, kNow);
    const JwtVerifier verifier(signer.verification_keys(), expected);
    const auto claims = verifier.verify(token, kNow);
    REQUIRE(claims);
    CHECK(claims->subject == "ann");
    CHECK(claims->scopes == std::vector<std::string>{"orders:read"});
    CHECK(claims->issued_at == kNow);
    CHECK(claims->expires == kNow + 100s);
    CHECK(verifier.verify(token, kNow + 100s).error() == JwtError::expired);
    CHECK(verifier.verify(token, kNow - 1s).error() == JwtError::not_yet_valid);

    const JwtSigner other(signing_key(es384));
    CHECK_FALSE(JwtVerifier(other.verification_keys(), expected).verify(token, kNow));
  }
}

TEST_CASE("the header names the algorithm, the type and the key") {
  const JwtSigner signer(signing_key(hs256, "2024"), {.type = "at+jwt"});
  const std::string token = signer.sign(std::map<std::string, int>{}, kNow);
  CHECK(part(token, 0) == R"({"alg":"HS256","typ":"at+jwt","kid":"2024"})");
  CHECK(part(token, 1) == R"({"iat":1700000000,"exp":1700000900})");
}

TEST_CASE("a key without an id gets the thumbprint of its public key") {
  const auto key = JwtSigningKey::from_pem(eddsa, examples::kEdDsaPrivateKey).value();
  CHECK(key.id() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");  // RFC 8037 appendix A.3
  CHECK(key.verification_key().id() == key.id());
}

TEST_CASE("claims that are no object, or that the signer adds itself, are refused") {
  const JwtSigner signer(signing_key(hs256), {.issuer = "a"});
  for (const std::string claims : {"", "1", "[]", "\"a\"", "{", "{}{}", R"({"a":1,"a":2})", R"({"iss":"b"})",
                                   R"({"exp":1})", R"({"e\u0078p":1})", R"({"aud":"x"})", R"({"iat":1})"}) {
    CAPTURE(claims);
    CHECK_THROWS_AS(signer.sign_object(claims, kNow), std::invalid_argument);
  }
  CHECK(part(signer.sign_object(" { \"a\" : {\"b\":[1]} } ", kNow), 1) ==
        R"({"iss":"a","iat":1700000000,"exp":1700000900, "a" : {"b":[1]} })");
  CHECK_THROWS_AS(JwtSigner(signing_key(hs256), {.lifetime = 0s}), std::invalid_argument);
  CHECK_THROWS_AS(JwtSigner(signing_key(hs256), {.keys_max = 0}), std::invalid_argument);
}

TEST_CASE("after a rotation the new key signs, and the tokens of the old one are still verified") {
  using Ids = std::vector<std::string>;
  JwtSigner signer(signing_key(es256, "1"), {.keys_max = 2});
  const std::string first = signer.sign(Claims{"ann", ""}, kNow);
  signer.announce(signing_key(es256, "2"));
  CHECK(ids(signer) == Ids{"1", "2"});
  CHECK(part(signer.sign(Claims{"ann", ""}, kNow), 0).contains(R"("kid":"1")"));

  signer.rotate(signing_key(eddsa, "2"));
  CHECK(ids(signer) == Ids{"2", "1"});
  const std::string second = signer.sign(Claims{"ann", ""}, kNow);
  CHECK(part(second, 0) == R"({"alg":"EdDSA","typ":"JWT","kid":"2"})");
  const JwtVerifier both(signer.verification_keys(), {});
  CHECK(both.verify(first, kNow));
  CHECK(both.verify(second, kNow));

  signer.rotate(signing_key(eddsa, "3"));
  CHECK(ids(signer) == Ids{"3", "2"});
  const JwtVerifier later(signer.verification_keys(), {});
  CHECK(later.verify(first, kNow).error() == JwtError::unknown_key);
  CHECK(later.verify(second, kNow));
  signer.announce(signing_key(eddsa, "4"));
  CHECK(ids(signer) == Ids{"3", "4"});
}

TEST_CASE("keys that do not fit their algorithm are refused") {
  CHECK(JwtSigningKey::from_pem(es256, examples::kRs256PrivateKey).error() == JwtKeyError::wrong_algorithm);
  CHECK(JwtSigningKey::from_pem(hs256, examples::kRs256PrivateKey).error() == JwtKeyError::wrong_algorithm);
  CHECK(JwtSigningKey::from_pem(rs256, examples::kRs256Key).error() == JwtKeyError::malformed);
  CHECK(JwtSigningKey::from_secret(hs256, std::vector<std::byte>(31)).error() == JwtKeyError::too_short);
  CHECK(JwtSigningKey::from_secret(rs256, std::vector<std::byte>(64)).error() == JwtKeyError::wrong_algorithm);
  CHECK_THROWS_AS(JwtSigningKey::generate(hs256), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http::auth
