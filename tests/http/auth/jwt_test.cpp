// SPDX-License-Identifier: MIT

#include "http/auth/jwt.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "crypto/base64.h"
#include "http/json/json.h"
#include "tests/crypto/jose_examples.h"
#include "tests/http/auth/signed_token.h"

namespace volt::http::auth {
namespace {

using namespace std::chrono_literals;
namespace examples = crypto::examples;
using enum JwtAlgorithm;

constexpr std::chrono::sys_seconds kNow{1'700'000'000s};
const std::string kHeader = R"({"alg":"HS256","typ":"JWT"})";
const std::string kPayload = R"({"iss":"joe","exp":1700000100})";

JwtKey secret_key(JwtAlgorithm algorithm = hs256, std::string id = {}) {
  return JwtKey::from_secret(algorithm, crypto::as_bytes(kTestSecret), std::move(id)).value();
}

JwtVerifier verifier(JwtOptions options = {}) { return {{secret_key()}, std::move(options)}; }

// Returns "ok" or the name of the error.
std::string outcome(const std::expected<JwtClaims, JwtError>& claims) {
  if (claims) return "ok";
  switch (claims.error()) {
    case JwtError::too_long:
      return "too_long";
    case JwtError::malformed:
      return "malformed";
    case JwtError::critical:
      return "critical";
    case JwtError::wrong_type:
      return "wrong_type";
    case JwtError::unknown_key:
      return "unknown_key";
    case JwtError::wrong_algorithm:
      return "wrong_algorithm";
    case JwtError::bad_signature:
      return "bad_signature";
    case JwtError::expired:
      return "expired";
    case JwtError::no_expiry:
      return "no_expiry";
    case JwtError::not_yet_valid:
      return "not_yet_valid";
    case JwtError::wrong_issuer:
      return "wrong_issuer";
    case JwtError::wrong_audience:
      return "wrong_audience";
    case JwtError::no_keys:
      return "no_keys";
  }
  return "?";
}

struct Case {
  std::string why, token, want;
};

void check_all(const JwtVerifier& by, const std::vector<Case>& cases) {
  for (const auto& [why, token, want] : cases) {
    CAPTURE(why);
    CHECK(outcome(by.verify(token, kNow)) == want);
  }
}

}  // namespace

TEST_SUITE_BEGIN("http/auth/jwt");

TEST_CASE("the token of RFC 7515 appendix A.1 is verified") {
  const auto secret = crypto::base64url_decode(
      "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  const JwtVerifier by({JwtKey::from_secret(hs256, secret.value()).value()}, {.leeway = 0s});
  const std::string token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
      "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const auto claims = by.verify(token, std::chrono::sys_seconds(1'300'819'379s));
  REQUIRE(claims);
  CHECK(claims->issuer == "joe");
  CHECK(claims->expires == std::chrono::sys_seconds(1'300'819'380s));
  CHECK(claims->payload == "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}");
  CHECK(outcome(by.verify(token, std::chrono::sys_seconds(1'300'819'380s))) == "expired");
}

TEST_CASE("each algorithm verifies its example, and no other key does") {
  const struct {
    std::string why;
    JwtAlgorithm algorithm;
    std::string_view key, token;
  } cases[] = {
      {"RFC 7515 A.2", rs256, examples::kRs256Key, examples::kRs256Token},
      {"RS384", rs384, examples::kRs384Key, examples::kRs384Token},
      {"RS512", rs512, examples::kRs384Key, examples::kRs512Token},
      {"RFC 7515 A.3", es256, examples::kEs256Key, examples::kEs256Token},
      {"ES384", es384, examples::kEs384Key, examples::kEs384Token},
      {"ES512", es512, examples::kEs512ClaimsKey, examples::kEs512ClaimsToken},
      {"EdDSA", eddsa, examples::kEdDsaClaimsKey, examples::kEdDsaClaimsToken},
  };
  const std::chrono::sys_seconds then(1'300'819'379s);
  std::vector<JwtKey> keys;
  for (const auto& [why, algorithm, key, token] : cases) {
    CAPTURE(why);
    keys.push_back(JwtKey::from_pem(algorithm, key).value());
    CHECK(outcome(JwtVerifier({keys.back()}, {}).verify(token, then)) == "ok");
    CHECK(outcome(JwtVerifier({secret_key()}, {}).verify(token, then)) == "wrong_algorithm");
  }
  const JwtVerifier by_all(keys, {});
  for (const auto& example : cases) CHECK(outcome(by_all.verify(example.token, then)) == "ok");
}

TEST_CASE("payloads that are not claims are rejected even with a valid signature: RFC 7515 A.4, RFC 8037 A.4") {
  const JwtVerifier by(
      {JwtKey::from_pem(es512, examples::kEs512Key).value(), JwtKey::from_pem(eddsa, examples::kEdDsaKey).value()}, {});
  CHECK(outcome(by.verify(examples::kEs512Token, kNow)) == "malformed");
  CHECK(outcome(by.verify(examples::kEdDsaToken, kNow)) == "malformed");
}

TEST_CASE("HS384 and HS512 are verified") {
  const std::string data384 = encoded(R"({"alg":"HS384"})") + "." + encoded(kPayload);
  const std::string data512 = encoded(R"({"alg":"HS512"})") + "." + encoded(kPayload);
  const auto secret = crypto::as_bytes(kTestSecret);
  const std::string token384 =
      data384 + "." + crypto::base64url_encode(crypto::hmac_sha384(secret, crypto::as_bytes(data384)));
  const std::string token512 =
      data512 + "." + crypto::base64url_encode(crypto::hmac_sha512(secret, crypto::as_bytes(data512)));
  CHECK(outcome(JwtVerifier({secret_key(hs384)}, {}).verify(token384, kNow)) == "ok");
  CHECK(outcome(JwtVerifier({secret_key(hs512)}, {}).verify(token512, kNow)) == "ok");
  CHECK(outcome(JwtVerifier({secret_key(hs512)}, {}).verify(token384, kNow)) == "wrong_algorithm");
  CHECK(outcome(verifier().verify(token512, kNow)) == "wrong_algorithm");
}

TEST_CASE("the header does not choose the algorithm (RFC 8725 section 3.1)") {
  const std::string unsigned_part = encoded(R"({"alg":"none"})") + "." + encoded(kPayload) + ".";
  check_all(
      verifier(),
      {
          {"as configured", signed_token(kHeader, kPayload), "ok"},
          {"none", unsigned_part, "wrong_algorithm"},
          {"none, with a signature", signed_token(R"({"alg":"none"})", kPayload), "wrong_algorithm"},
          {"None", signed_token(R"({"alg":"None"})", kPayload), "wrong_algorithm"},
          {"lower case", signed_token(R"({"alg":"hs256"})", kPayload), "wrong_algorithm"},
          {"another digest", signed_token(R"({"alg":"HS512"})", kPayload), "wrong_algorithm"},
          {"another family", signed_token(R"({"alg":"RS256"})", kPayload), "wrong_algorithm"},
          {"NUL after the algorithm", signed_token(R"({"alg":"HS256\u0000"})", kPayload), "wrong_algorithm"},
          {"no alg", signed_token(R"({"typ":"JWT"})", kPayload), "malformed"},
          {"alg is a number", signed_token(R"({"alg":256})", kPayload), "malformed"},
          {"alg is a list", signed_token(R"({"alg":["HS256"]})", kPayload), "malformed"},
          {"alg twice", signed_token(R"({"alg":"none","alg":"HS256"})", kPayload), "malformed"},
          {"alg twice, escaped", signed_token(R"({"alg":"none","\u0061lg":"HS256"})", kPayload), "malformed"},
          {"critical", signed_token(R"({"alg":"HS256","crit":["exp"],"exp":1})", kPayload), "critical"},
          {"an empty list of critical extensions", signed_token(R"({"alg":"HS256","crit":[]})", kPayload), "critical"},
          {"RFC 7797", signed_token(R"({"alg":"HS256","b64":false,"crit":["b64"]})", kPayload), "critical"},
          {"a key in the header is ignored", signed_token(R"({"alg":"HS256","jwk":{"kty":"oct","k":"AA"}})", kPayload),
           "ok"},
      });
}

TEST_CASE("a public key is not used as a secret, although its PEM is public") {
  const JwtVerifier by({JwtKey::from_pem(rs256, examples::kRs256Key).value()}, {});
  const std::string data = encoded(R"({"alg":"HS256"})") + "." + encoded(kPayload);
  const auto forged = crypto::hmac_sha256(crypto::as_bytes(examples::kRs256Key), crypto::as_bytes(data));
  CHECK(outcome(by.verify(data + "." + crypto::base64url_encode(forged), kNow)) == "wrong_algorithm");
}

TEST_CASE("malformed tokens are rejected") {
  const std::string good = signed_token(kHeader, kPayload);
  const std::size_t dot = good.rfind('.');
  std::string deep = R"({"alg":"HS256","x":)" + std::string(1000, '[') + std::string(1000, ']') + "}";
  check_all(verifier(),
            {
                {"empty", "", "malformed"},
                {"one dot", "a.b", "malformed"},
                {"only dots", "..", "malformed"},
                {"three dots", good + ".", "malformed"},
                {"five parts, as in encrypted tokens", "a.b.c.d.e", "malformed"},
                {"a leading space", " " + good, "malformed"},
                {"a line break at the end", good + "\n", "malformed"},
                {"padded", good + "=", "malformed"},
                {"no signature", good.substr(0, dot + 1), "bad_signature"},
                {"a short signature", good.substr(0, dot + 1) + "AAAA", "bad_signature"},
                {"a long signature", good + "AAAA", "bad_signature"},
                {"header is not base64", "{}" + good, "malformed"},
                {"header is not JSON", signed_token("alg", kPayload), "malformed"},
                {"header is a list", signed_token("[]", kPayload), "malformed"},
                {"header is empty", signed_token("", kPayload), "malformed"},
                {"header is repeated", signed_token(kHeader + kHeader, kPayload), "malformed"},
                {"header is too deep", signed_token(deep, kPayload), "malformed"},
                {"header is not UTF-8", signed_token("{\"alg\":\"HS256\",\"x\":\"\xff\"}", kPayload), "malformed"},
                {"payload is not JSON", signed_token(kHeader, "joe"), "malformed"},
                {"payload is a list", signed_token(kHeader, "[]"), "malformed"},
                {"payload is empty", signed_token(kHeader, ""), "malformed"},
                {"bytes after the payload", signed_token(kHeader, kPayload + "x"), "malformed"},
                {"payload is too deep", signed_token(kHeader, deep), "malformed"},
            });
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string altered = good;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(verifier().verify(altered, kNow));
    CHECK_FALSE(verifier().verify(good.substr(0, i), kNow));
  }
}

TEST_CASE("a token that exceeds the limit is rejected") {
  const std::string token = signed_token(kHeader, kPayload);
  CHECK(outcome(verifier({.token_bytes_max = token.size()}).verify(token, kNow)) == "ok");
  CHECK(outcome(verifier({.token_bytes_max = token.size() - 1}).verify(token, kNow)) == "too_long");
  CHECK(outcome(verifier().verify(std::string(1'000'000, '.'), kNow)) == "too_long");
}

TEST_CASE("claims must have the types of RFC 7519 section 4.1, and must not be repeated") {
  const auto with = [](const std::string& claims) {
    return signed_token(kHeader, "{\"exp\":1700000100" + claims + "}");
  };
  check_all(verifier(), {
                            {"strings", with(R"(,"iss":"a","sub":"b","jti":"c")"), "ok"},
                            {"an unknown claim", with(R"(,"scope":{"a":[1,null]})"), "ok"},
                            {"issuer is a number", with(R"(,"iss":1)"), "malformed"},
                            {"issuer is null", with(R"(,"iss":null)"), "malformed"},
                            {"subject is a list", with(R"(,"sub":["a"])"), "malformed"},
                            {"id is a number", with(R"(,"jti":1)"), "malformed"},
                            {"audience is a number", with(R"(,"aud":1)"), "malformed"},
                            {"audience is a list of numbers", with(R"(,"aud":["a",1])"), "malformed"},
                            {"exp twice", with(R"(,"exp":1900000000)"), "malformed"},
                            {"exp twice, escaped", with(R"(,"e\u0078p":1900000000)"), "malformed"},
                            {"an unknown claim twice", with(R"(,"role":"user","role":"admin")"), "malformed"},
                            {"nbf is a string", with(R"(,"nbf":"1")"), "malformed"},
                            {"iat is in the year 10000", with(R"(,"iat":253402300800)"), "malformed"},
                            {"iat is before 1970", with(R"(,"iat":-1)"), "malformed"},
                            {"iat exceeds a double", with(R"(,"iat":1e999)"), "malformed"},
                            {"nbf has a fraction", with(R"(,"nbf":1699999999.75)"), "ok"},
                        });
}

TEST_CASE("times are checked, with leeway for clocks that differ") {
  const struct {
    std::string why, payload, want, want_without_leeway;
  } cases[] = {
      {"not expired", R"({"exp":1700000001})", "ok", "ok"},
      {"just expired", R"({"exp":1700000000})", "ok", "expired"},
      {"expired, within leeway", R"({"exp":1699999941})", "ok", "expired"},
      {"expired, past leeway", R"({"exp":1699999940})", "expired", "expired"},
      {"no exp", R"({})", "no_expiry", "no_expiry"},
      {"begins now", R"({"exp":1700000100,"nbf":1700000000})", "ok", "ok"},
      {"begins within leeway", R"({"exp":1700000100,"nbf":1700000060})", "ok", "not_yet_valid"},
      {"begins past leeway", R"({"exp":1700000100,"nbf":1700000061})", "not_yet_valid", "not_yet_valid"},
      {"issued in the future, within leeway", R"({"exp":1700000100,"iat":1700000060})", "ok", "not_yet_valid"},
      {"issued in the future", R"({"exp":1700000100,"iat":1700000061})", "not_yet_valid", "not_yet_valid"},
  };
  for (const auto& [why, payload, want, want_without_leeway] : cases) {
    CAPTURE(why);
    const std::string token = signed_token(kHeader, payload);
    CHECK(outcome(verifier().verify(token, kNow)) == want);
    CHECK(outcome(verifier({.leeway = 0s}).verify(token, kNow)) == want_without_leeway);
  }
  CHECK(outcome(verifier({.expiry_required = false}).verify(signed_token(kHeader, "{}"), kNow)) == "ok");
}

TEST_CASE("issuer, audience and type are checked if the options require them") {
  const auto with = [](const std::string& claims) {
    return signed_token(kHeader, "{\"exp\":1700000100" + claims + "}");
  };
  const JwtVerifier strict = verifier({.issuer = "https://issuer.example", .audience = "api"});
  const std::string issuer = R"(,"iss":"https://issuer.example")";
  check_all(strict, {
                        {"right", with(issuer + R"(,"aud":"api")"), "ok"},
                        {"one of several", with(issuer + R"(,"aud":["web","api"])"), "ok"},
                        {"no issuer", with(R"(,"aud":"api")"), "wrong_issuer"},
                        {"another issuer", with(R"(,"iss":"https://issuer.example/","aud":"api")"), "wrong_issuer"},
                        {"no audience", with(issuer), "wrong_audience"},
                        {"another audience", with(issuer + R"(,"aud":["web","API"])"), "wrong_audience"},
                        {"an empty audience list", with(issuer + R"(,"aud":[])"), "wrong_audience"},
                    });
  check_all(verifier(), {
                            {"an audience is not accepted if none is configured (RFC 7519 section 4.1.3)",
                             with(R"(,"aud":"api")"), "wrong_audience"},
                            {"an empty audience", with(R"(,"aud":"")"), "wrong_audience"},
                            {"no audience", with(""), "ok"},
                        });
  const JwtVerifier typed = verifier({.type = "at+jwt"});
  check_all(typed, {
                       {"the required type", signed_token(R"({"alg":"HS256","typ":"at+jwt"})", kPayload), "ok"},
                       {"the required type with its prefix",
                        signed_token(R"({"alg":"HS256","typ":"Application/AT+JWT"})", kPayload), "ok"},
                       {"another", signed_token(kHeader, kPayload), "wrong_type"},
                       {"none", signed_token(R"({"alg":"HS256"})", kPayload), "wrong_type"},
                   });
}

TEST_CASE("kid selects one of several keys") {
  const auto other = JwtKey::from_secret(hs256, std::vector<std::byte>(32), "2024").value();
  const JwtVerifier both({other, secret_key(hs256, "2025")}, {});
  const JwtVerifier nameless({secret_key()}, {});
  const auto of = [](const std::string& kid) { return signed_token(R"({"alg":"HS256","kid":)" + kid + "}", kPayload); };
  check_all(both, {
                      {"the right key", of(R"("2025")"), "ok"},
                      {"another key", of(R"("2024")"), "bad_signature"},
                      {"an unknown key", of(R"("2026")"), "unknown_key"},
                      {"an empty kid", of(R"("")"), "unknown_key"},
                      {"kid is a path", of(R"("../../dev/null")"), "unknown_key"},
                      {"kid is a number", of("2025"), "malformed"},
                      {"no kid: all keys are tried", signed_token(kHeader, kPayload), "ok"},
                      {"the key of another algorithm", signed_token(R"({"alg":"HS384","kid":"2025"})", kPayload),
                       "wrong_algorithm"},
                  });
  check_all(nameless, {{"a key without id is for any", of(R"("2026")"), "ok"}});
  check_all(JwtVerifier({}, {}), {{"no keys", signed_token(kHeader, kPayload), "unknown_key"}});
}

TEST_CASE("scopes and roles are words or arrays; other forms grant nothing") {
  using Words = std::vector<std::string>;
  const struct {
    std::string claims;
    Words scopes, roles;
  } cases[] = {
      {R"("scope":"orders:read orders:write")", {"orders:read", "orders:write"}, {}},
      {R"("scope":"  a  b ")", {"a", "b"}, {}},
      {R"("scope":"")", {}, {}},
      {R"("scp":["a","b c"])", {"a", "b c"}, {}},
      {R"("scope":"a","scp":["b"],"roles":["admin"])", {"a", "b"}, {"admin"}},
      {R"("roles":"admin staff")", {}, {"admin", "staff"}},
      {R"("scope":{"admin":true},"roles":7)", {}, {}},
      {R"("scope":["a",1,null,["b"]],"roles":null)", {"a"}, {}},
  };
  for (const auto& [text, scopes, roles] : cases) {
    CAPTURE(text);
    const auto claims = verifier().verify(signed_token(kHeader, "{\"exp\":1700000100," + text + "}"), kNow);
    REQUIRE(claims);
    CHECK(claims->scopes == scopes);
    CHECK(claims->roles == roles);
  }
}

TEST_CASE("the payload can be read as any type") {
  struct Claims {
    std::string sub;
    std::vector<std::string> roles;
  };
  const auto claims =
      verifier().verify(signed_token(kHeader, R"({"exp":1700000100,"sub":"ann","roles":["admin"]})"), kNow);
  REQUIRE(claims);
  CHECK(claims->subject == "ann");
  const auto own = from_json<Claims>(claims->payload);
  REQUIRE(own);
  CHECK(own->sub == "ann");
  CHECK(own->roles == std::vector<std::string>{"admin"});
}

TEST_SUITE_END();
}  // namespace volt::http::auth
