// SPDX-License-Identifier: MIT

#include "http/oidc/internal/id_token.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace volt::http::oidc {
namespace {

using namespace std::chrono_literals;
using auth::JwtAlgorithm;

constexpr std::chrono::sys_seconds kNow(1'800'000'000s);

// Returns the error, or "valid".
std::string check(std::string_view payload, const IdTokenRules& rules) {
  const auto claims = auth::parse_jwt_claims(payload);
  REQUIRE(claims);
  const auto checked = check_id_token(*claims, JwtAlgorithm::rs256, "token", rules, kNow);
  return checked ? "valid" : checked.error();
}

}  // namespace

TEST_SUITE_BEGIN("http/oidc/id_token");

TEST_CASE("the claims fit the login: OpenID Connect Core sections 3.1.3.7 and 2") {
  const struct {
    const char* why;
    std::string_view payload;
    std::string_view want;
  } cases[] = {
      {"the least", R"({"sub":"a","aud":"shop","iat":1,"nonce":"n"})", "valid"},
      {"azp", R"({"sub":"a","aud":["shop"],"azp":"shop","iat":1,"nonce":"n"})", "valid"},
      {"one audience more", R"({"sub":"a","aud":["shop","x"],"azp":"shop","iat":1,"nonce":"n"})", "another client"},
      {"for another party", R"({"sub":"a","aud":"shop","azp":"x","iat":1,"nonce":"n"})", "another client"},
      {"no iat", R"({"sub":"a","aud":"shop","nonce":"n"})", "iat of"},
      {"no sub", R"({"aud":"shop","iat":1,"nonce":"n"})", "sub of"},
      {"no nonce", R"({"sub":"a","aud":"shop","iat":1})", "nonce"},
      {"another nonce", R"({"sub":"a","aud":"shop","iat":1,"nonce":"m"})", "nonce"},
  };
  const IdTokenRules rules{.client_id = "shop", .nonce = "n", .subject = {}, .max_age = {}, .leeway = 0s};
  for (const auto& [why, payload, want] : cases) {
    CAPTURE(why);
    CHECK(check(payload, rules).contains(want));
  }
  const std::string long_subject = R"({"aud":"shop","iat":1,"nonce":"n","sub":")" + std::string(256, 'a') + "\"}";
  CHECK(check(long_subject, rules).contains("sub of"));
}

TEST_CASE("with max_age, the user's authentication is recent: section 3.1.2.1") {
  const IdTokenRules rules{.client_id = "shop", .nonce = {}, .subject = {}, .max_age = 100s, .leeway = 5s};
  const auto checked = [&rules](const std::string& time) {
    return check(R"({"sub":"a","aud":"shop","iat":1)" + time + "}", rules) == "valid";
  };
  CHECK(checked(R"(,"auth_time":1799999895)"));
  CHECK_FALSE(checked(R"(,"auth_time":1799999894)"));
  CHECK_FALSE(checked(""));
}

TEST_CASE("the user of a refresh is that of the login: section 12.2") {
  const IdTokenRules rules{.client_id = "shop", .nonce = {}, .subject = "a", .max_age = {}, .leeway = 0s};
  CHECK(check(R"({"sub":"a","aud":"shop","iat":1})", rules) == "valid");
  CHECK(check(R"({"sub":"b","aud":"shop","iat":1})", rules).contains("another user"));
}

TEST_CASE("at_hash is the left half of the digest of the algorithm: section 3.1.3.6") {
  // The example of the section A.3 of OpenID Connect Core.
  CHECK(access_token_hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", JwtAlgorithm::rs256) ==
        "77QmUPtjPfzWtF2AnpK9RQ");
  CHECK(access_token_hash("a", JwtAlgorithm::es384).size() == 32);  // 24 bytes
  CHECK(access_token_hash("a", JwtAlgorithm::eddsa).size() == 43);  // 32 bytes
}

TEST_SUITE_END();
}  // namespace volt::http::oidc
