// SPDX-License-Identifier: MIT

#include "http/middleware/auth.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "crypto/bytes.h"
#include "http/openapi/openapi.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "tests/http/auth/signed_token.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

struct User {
  std::string name;
};

struct Case {
  std::string_view why;
  FieldsOf fields;
  int status;
  std::string want;  // the user for 200, the challenge for 401
};

template <class T>
App guarded(Middleware middleware, std::string T::* name) {
  App app;
  app.use(std::move(middleware));
  app.get("/", [name](From<T> user) { return (*user).*name; });
  return app;
}

template <std::size_t count>
void check_all(App app, const Case (&cases)[count]) {
  InProcessApp asked(std::move(app));
  for (const auto& [why, fields, status, want] : cases) {
    CAPTURE(why);
    const Response response = asked.ask({.fields = fields});
    CHECK(code(response.status()) == status);
    CHECK((status == 200 ? response.body() : response.header("WWW-Authenticate").value_or("")) == want);
  }
}

FieldsOf authorization(const std::string& value) { return {{"Authorization", value}}; }

}  // namespace

TEST_SUITE_BEGIN("http/middleware/auth");

TEST_CASE("Basic accepts the credentials that the check accepts, and challenges other requests (RFC 7617)") {
  const auto check = [](const BasicCredentials& given) -> std::optional<User> {
    if (!given.equal("Aladdin", "open sesame")) return std::nullopt;
    return User{given.user};
  };
  const std::string challenge = "Basic realm=\"cave\", charset=\"UTF-8\"";
  const Case cases[] = {
      {"section 2's example", authorization("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), 200, "Aladdin"},
      {"the scheme is case-insensitive", authorization("bAsIc QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), 200, "Aladdin"},
      {"no credentials", {}, 401, challenge},
      {"a wrong password", authorization("Basic QWxhZGRpbjo="), 401, challenge},
      {"another scheme", authorization("Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), 401, challenge},
      {"not base64", authorization("Basic ?"), 401, challenge},
  };
  check_all(guarded<User>(basic_auth(check, {.realm = "cave"}), &User::name), cases);
  CHECK_THROWS_AS(static_cast<void>(basic_auth(check, {.realm = "a\nb"})), std::invalid_argument);
}

TEST_CASE("Bearer distinguishes a missing from a wrong token (RFC 6750 section 3.1), and its check may be a task") {
  const auto check = [](std::string_view token) -> Task<std::optional<User>> {
    const std::string name(token);
    co_await yield();
    if (name != "t0ken") co_return std::nullopt;
    co_return User{name};
  };
  const Case cases[] = {
      {"a token", authorization("Bearer t0ken"), 200, "t0ken"},
      {"no token: a challenge without an error", {}, 401, "Bearer realm=\"app\""},
      {"a wrong token", authorization("Bearer other"), 401, "Bearer realm=\"app\", error=\"invalid_token\""},
      {"two words instead of a token", authorization("Bearer a b"), 401, "Bearer realm=\"app\""},
  };
  check_all(guarded<User>(bearer_auth(check), &User::name), cases);
}

TEST_CASE("a JSON Web Token provides its claims, or is refused with no more detail than its bearer may know") {
  auto key = auth::JwtKey::from_secret(auth::JwtAlgorithm::hs256, crypto::as_bytes(auth::kTestSecret));
  REQUIRE(key);
  const std::string header = R"({"alg":"HS256"})";
  const std::string refusal = R"(Bearer realm="app", error="invalid_token")";
  const std::string good = auth::signed_token(header, R"({"sub":"ann","exp":9999999999})");
  const Case cases[] = {
      {"a valid token", authorization("Bearer " + good), 200, "ann"},
      {"no token", {}, 401, "Bearer realm=\"app\""},
      {"expired", authorization("Bearer " + auth::signed_token(header, R"({"sub":"ann","exp":1})")), 401, refusal},
      {"tampered with", authorization("Bearer " + good.substr(0, good.size() - 4) + "AAAA"), 401, refusal},
      {"no expiry", authorization("Bearer " + auth::signed_token(header, R"({"sub":"ann"})")), 401, refusal},
      {"8725 3.1: the algorithm none is refused",
       authorization("Bearer " + auth::signed_token(R"({"alg":"none"})", "{}")), 401, refusal},
  };
  check_all(guarded<JwtClaims>(jwt_auth(JwtVerifier({*key}, {})), &JwtClaims::subject), cases);
  InProcessApp asked(guarded<JwtClaims>(jwt_auth(JwtVerifier({*key}, {})), &JwtClaims::subject));
  CHECK(asked.ask({.fields = cases[2].fields}).body().find("has expired") != std::string::npos);
  CHECK(asked.ask({.fields = cases[3].fields}).body().find("detail") == std::string::npos);
}

TEST_CASE("jwt_claims() gives handlers a struct from the token") {
  struct Staff {
    std::string sub;
    std::string department;
  };
  const auth::JwtVerifier verifier(
      {auth::JwtKey::from_secret(auth::JwtAlgorithm::hs256, crypto::as_bytes(auth::kTestSecret)).value()},
      {.expiry_required = false});
  App app;
  app.use(jwt_auth(verifier), jwt_claims<Staff>());
  app.get("/", [](From<Staff> staff) { return staff->department; });
  const auto token = [](const std::string& payload) {
    return authorization("Bearer " + auth::signed_token(R"({"alg":"HS256"})", payload));
  };
  const Case cases[] = {
      {"all members", token(R"({"sub":"ann","department":"tools","x":1})"), 200, "tools"},
      {"a member is missing", token(R"({"sub":"ann"})"), 401, "Bearer realm=\"app\", error=\"invalid_token\""},
      {"no token", {}, 401, "Bearer realm=\"app\""},
  };
  check_all(std::move(app), cases);
}

TEST_CASE("require_scope() and require_role() refuse tokens that do not grant them (RFC 6750 section 3.1)") {
  const auth::JwtVerifier verifier(
      {auth::JwtKey::from_secret(auth::JwtAlgorithm::hs256, crypto::as_bytes(auth::kTestSecret)).value()},
      {.expiry_required = false});
  App app;
  app.use(jwt_auth(verifier));
  auto orders = app.group("/orders");
  orders.use(require_scope("orders:write"));
  orders.get("", [] { return "written"; });
  auto admin = app.group("/admin");
  admin.use(require_role("admin"));
  admin.get("", [] { return "administered"; });
  app.openapi("/openapi.json", {.title = "Orders", .version = "1"});
  InProcessApp asked(std::move(app));

  const std::string challenge = "Bearer realm=\"app\", error=\"insufficient_scope\", scope=\"orders:write\"";
  const struct {
    std::string path, claims;
    int status;
    std::string challenge;
  } cases[] = {
      {"/orders", R"({"scope":"orders:read orders:write"})", 200, ""},
      {"/orders", R"({"scp":["orders:write"]})", 200, ""},
      {"/orders", R"({"scope":"orders:read"})", 403, challenge},
      {"/orders", R"({"scope":"orders:writer xorders:write"})", 403, challenge},
      {"/orders", R"({"roles":["orders:write"]})", 403, challenge},
      {"/orders", "{}", 403, challenge},
      {"/admin", R"({"roles":["staff","admin"]})", 200, ""},
      {"/admin", R"({"scope":"admin"})", 403, ""},
  };
  for (const auto& [path, claims, status, want] : cases) {
    CAPTURE(path + " " + claims);
    const std::string token = auth::signed_token(R"({"alg":"HS256"})", claims);
    const Response response = asked.get(path, authorization("Bearer " + token));
    CHECK(code(response.status()) == status);
    CHECK(response.header("WWW-Authenticate").value_or("") == want);
  }
  const std::string document(
      asked.get("/openapi.json", authorization("Bearer " + auth::signed_token(R"({"alg":"HS256"})", "{}"))).body());
  const std::size_t admin_at = document.find(R"("/admin":)");
  const std::size_t orders_at = document.find(R"("/orders":)");
  REQUIRE(orders_at < admin_at);
  REQUIRE(admin_at != std::string::npos);
  for (const std::string part : {R"("403":{)", R"("security":[{"jwt":["orders:write"]}])"}) {
    CHECK(document.substr(orders_at, admin_at - orders_at).contains(part));
  }
  for (const std::string part : {R"("403":{)", R"("security":[{"jwt":["admin"]}])"}) {
    CHECK(document.substr(admin_at).contains(part));
  }
  CHECK(code(asked.get("/orders").status()) == 401);

  for (const std::string scope : {"", "a b", "a\"b", "a\\b", "\xc3\xa4"}) {
    CHECK_THROWS_AS(static_cast<void>(require_scope(scope)), std::invalid_argument);
  }
  CHECK_THROWS_AS(static_cast<void>(require_role("")), std::invalid_argument);
}

TEST_SUITE_END();
}  // namespace volt::http
