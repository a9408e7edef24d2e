// SPDX-License-Identifier: MIT

#include "http/auth/jwk.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "crypto/base64.h"
#include "crypto/bytes.h"
#include "tests/crypto/jose_examples.h"

namespace volt::http::auth {
namespace {

namespace examples = crypto::examples;
using enum JwtAlgorithm;

// RFC 7517 appendix A.1: a key for encryption, and one for signatures.
const std::string kRsa2011 =
    R"({"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKR)"
    R"(XjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d)"
    R"(0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEg)"
    R"(U8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"})";
const std::string kExample = R"({"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",)"
                             R"("y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"},)" +
                             kRsa2011 + "]}";

// RFC 7515 appendix A.3 and RFC 8037 appendix A.2.
const std::string kEc = R"("kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                        R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")";
const std::string kEdwards = R"("kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")";

std::string set_of(const std::string& key) { return R"({"keys":[)" + key + "]}"; }

bool verifies(const JwtKey& key, std::string_view token) {
  const std::size_t dot = token.rfind('.');
  return key.verify(crypto::as_bytes(token.substr(0, dot)), crypto::base64url_decode(token.substr(dot + 1)).value());
}

// Returns the algorithm of the only key, "skipped", or the error.
std::string outcome(const std::string& json, const KeySetOptions& options = {}) {
  const auto set = parse_key_set(json, options);
  if (set && set->keys.empty()) return set->skipped == 1 ? "skipped" : "empty";
  if (set) return std::string(algorithm_name(set->keys.front().algorithm()));
  switch (set.error()) {
    case KeySetError::too_long:
      return "too_long";
    case KeySetError::too_many:
      return "too_many";
    case KeySetError::malformed:
      return "malformed";
  }
  return "?";
}

}  // namespace

TEST_SUITE_BEGIN("http/auth/jwk");

TEST_CASE("the set of RFC 7517 appendix A.1 has one key for signatures, with the thumbprint of RFC 7638") {
  const auto set = parse_key_set(kExample);
  REQUIRE(set);
  REQUIRE(set->keys.size() == 1);
  CHECK(set->skipped == 1);
  CHECK(set->keys[0].id() == "2011-04-29");
  CHECK(set->keys[0].algorithm() == rs256);
  CHECK(jwk_thumbprint(*set->keys[0].public_key()) == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
}

TEST_CASE("keys of each type verify the examples of the RFCs") {
  const auto p256 = parse_key_set(set_of("{" + kEc + R"(,"kid":"a"})"));
  REQUIRE(p256);
  REQUIRE(p256->keys.size() == 1);
  CHECK(verifies(p256->keys[0], examples::kEs256Token));

  const auto edwards = parse_key_set(set_of("{" + kEdwards + "}"));
  REQUIRE(edwards);
  REQUIRE(edwards->keys.size() == 1);
  CHECK(verifies(edwards->keys[0], examples::kEdDsaToken));
  CHECK(jwk_thumbprint(*edwards->keys[0].public_key()) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");  // A.3
}

TEST_CASE("keys that cannot verify signatures are skipped, and malformed sets are rejected") {
  const std::string secret = R"("kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0i")";
  const struct {
    std::string why, json, want;
  } cases[] = {
      {"a curve implies the algorithm", set_of("{" + kEc + "}"), "ES256"},
      {"use", set_of("{" + kEc + R"(,"use":"sig"})"), "ES256"},
      {"a private member is ignored", set_of("{" + kEc + R"(,"d":"AAAA"})"), "ES256"},
      {"key_ops", set_of("{" + kEc + R"(,"key_ops":["verify"]})"), "ES256"},
      {"unknown members", R"({"a":[{}],"keys":[{"x5c":["a"],)" + kEc + R"(}],"b":1})", "ES256"},
      {"another use", set_of("{" + kEc + R"(,"use":"enc"})"), "skipped"},
      {"other key_ops", set_of("{" + kEc + R"(,"key_ops":["encrypt"]})"), "skipped"},
      {"key_ops has a number, and a key follows", set_of(R"({"key_ops":[1,"verify"],)" + kEc + "}"), "skipped"},
      {"another algorithm", set_of("{" + kEc + R"(,"alg":"ES384"})"), "skipped"},
      {"an algorithm with a secret (RFC 8725)", set_of("{" + kEc + R"(,"alg":"HS256"})"), "skipped"},
      {"alg none", set_of("{" + kEc + R"(,"alg":"none"})"), "skipped"},
      {"alg is a number", set_of("{" + kEc + R"(,"alg":1})"), "skipped"},
      {"another curve", R"({"keys":[{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}]})", "skipped"},
      {"a point of another curve", set_of("{" + kEc + "}").replace(kEc.find("P-256") + 10, 5, "P-384"), "skipped"},
      {"no coordinates", R"({"keys":[{"kty":"EC","crv":"P-256"}]})", "skipped"},
      {"no type", R"({"keys":[{}]})", "skipped"},
      {"X25519", R"({"keys":[{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})",
       "skipped"},
      {"a secret", set_of("{" + secret + R"(,"alg":"HS256"})"), "skipped"},
      {"no keys", R"({"keys":[]})", "empty"},
      {"not JSON", "keys", "malformed"},
      {"a list", "[]", "malformed"},
      {"no member keys", "{}", "malformed"},
      {"keys is an object", R"({"keys":{}})", "malformed"},
      {"a key is a text", R"({"keys":["a"]})", "malformed"},
      {"keys twice", R"({"keys":[],"keys":[]})", "malformed"},
      {"a member of a key twice", set_of("{" + kEc + R"(,"kty":"EC"})"), "malformed"},
      {"an unknown member of a key twice", set_of("{" + kEc + R"(,"a":1,"a":2})"), "malformed"},
      {"text after the set", set_of("{" + kEc + "}") + "x", "malformed"},
  };
  for (const auto& [why, json, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(json) == want);
  }
  CHECK(outcome(set_of("{" + secret + R"(,"alg":"HS256"})"), {.secrets = true}) == "HS256");
  CHECK(outcome(set_of("{" + secret + "}"), {.secrets = true}) == "skipped");
  CHECK(outcome(kExample, {.bytes_max = kExample.size() - 1}) == "too_long");
  CHECK(outcome(kExample, {.keys_max = 1}) == "too_many");
}

TEST_CASE("an RSA key without alg has the algorithm of the options, and the first key with an id counts") {
  std::string key = kRsa2011;
  key.erase(key.find(R"("alg":"RS256",)"), 14);
  CHECK(outcome(set_of(key)) == "RS256");
  CHECK(outcome(set_of(key), {.rsa_algorithm = ps256}) == "PS256");
  CHECK(outcome(set_of(key), {.rsa_algorithm = es256}) == "skipped");

  const auto set = parse_key_set(set_of("{" + kEc + R"(,"kid":"a"},{)" + kEdwards + R"(,"kid":"a"})"));
  REQUIRE(set);
  REQUIRE(set->keys.size() == 1);
  CHECK(set->keys[0].algorithm() == es256);
  CHECK(set->skipped == 1);
}

TEST_CASE("a set that is written can be read again, and has no secrets") {
  std::vector<JwtKey> keys;
  const struct {
    JwtAlgorithm algorithm;
    std::string_view pem;
  } cases[] = {{ps256, examples::kRs256Key},
               {es256, examples::kEs256Key},
               {es384, examples::kEs384Key},
               {es512, examples::kEs512Key},
               {eddsa, examples::kEdDsaKey}};
  for (const auto& [algorithm, pem] : cases) {
    keys.push_back(JwtKey::from_pem(algorithm, pem, "\"" + std::to_string(keys.size())).value());
  }
  keys.push_back(JwtKey::from_secret(hs256, std::vector<std::byte>(32)).value());
  const auto set = parse_key_set(format_key_set(keys));
  REQUIRE(set);
  REQUIRE(set->keys.size() == 5);
  CHECK(set->skipped == 0);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(set->keys[i].algorithm() == keys[i].algorithm());
    CHECK(set->keys[i].id() == keys[i].id());
    CHECK(set->keys[i].public_key()->numbers().first == keys[i].public_key()->numbers().first);
    CHECK(set->keys[i].public_key()->numbers().second == keys[i].public_key()->numbers().second);
  }
  CHECK(format_key_set({}) == R"({"keys":[]})");
}

TEST_SUITE_END();
}  // namespace volt::http::auth
