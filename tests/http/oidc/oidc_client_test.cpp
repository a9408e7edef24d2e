// SPDX-License-Identifier: MIT

// OidcClient against a provider on a loopback port. The clock of the service is that of a TestClient.
#include "http/oidc/oidc_client.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "tests/http/oidc/identity_provider.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using Script = IdentityProvider::Script;

struct ReturnTo {
  std::string return_to = "/";
};

Task<Response> begin_login(Request& request, Query<ReturnTo> query, State<OidcClient> oidc) {
  OidcBegin begin{.return_to = query->return_to};
  co_return co_await oidc->begin(request, std::move(begin));
}

Task<Response> finish_login(Request& request, From<Session> session, State<OidcClient> oidc) {
  const OidcLogin login = co_await oidc->finish(request, *session);
  session->set("user", login.claims.subject);
  session->set("info", login.user_info);
  co_return login.redirect();
}

App service(const IdentityProvider& provider, OidcOptions options) {
  options.issuer = provider.issuer();
  options.client_id = "shop";
  options.redirect_uri = "https://shop.example/callback";
  options.allow_http = true;
  App app;
  app.state(OidcClient(std::make_shared<HttpClient>(), std::move(options)));
  app.use(sessions());
  app.get("/login", begin_login);
  app.get("/callback", finish_login);
  app.get("/me", [](From<Session> session) { return session->get<std::string>("user").value_or("none"); });
  app.get("/info", [](From<Session> session) { return session->get<std::string>("info").value_or("none"); });
  app.get("/visit", [](From<Session> session) { session->set("cart", 1); });
  app.get("/refresh", [](State<OidcClient> oidc) -> Task<std::string> {
    const OidcTokens tokens = co_await oidc->refresh("again", "ann");
    co_return tokens.access_token;
  });
  app.get("/logout", [](State<OidcClient> oidc) -> Task<std::string> {
    const auto uri = co_await oidc->logout_uri("the-token", "https://shop.example/");
    co_return uri.value_or("none");
  });
  return app;
}

OidcOptions options_with_secret() { return {.client_secret = "s:e cret", .keys = CookieKeys::random()}; }

// A browser, a service, and the provider that it trusts.
struct Scene {
  explicit Scene(OidcOptions options = options_with_secret())
      : browser(service(provider, std::move(options)), {.io = test_options(1).io}) {
    browser.keep_cookies();
  }

  // Begins a login and returns the URI of the provider's page.
  std::string begin(std::string_view path = "/login") {
    const TestResponse response = browser.get(path).send();
    REQUIRE(response.status() == 303);
    return std::string(*response.header("location"));
  }
  TestResponse finish(const std::string& query) { return browser.get("/callback?" + query).send(); }
  int log_in() { return finish(provider.log_in(begin())).status(); }
  std::string get(std::string_view path) { return browser.get(path).send().body(); }

  IdentityProvider provider;
  TestClient browser;
};

std::vector<std::string> cookies_of(const TestResponse& response) {
  std::vector<std::string> cookies;
  for (const TestField& field : response.headers()) {
    if (field.name == "Set-Cookie") cookies.push_back(field.value);
  }
  return cookies;
}

}  // namespace

TEST_SUITE_BEGIN("http/oidc/oidc_client");

TEST_CASE("a login leads to the provider, back, and to the page where it began") {
  Scene scene;
  const TestResponse begun = scene.browser.get("/login?return_to=/orders%3Fpage=2").send();
  CHECK(begun.header("cache-control") == "no-store");
  const std::string location(*begun.header("location"));
  Parameters sent = parameters_of(location.substr(location.find('?') + 1));
  CHECK(sent["response_type"] == "code");
  CHECK(sent["client_id"] == "shop");
  CHECK(sent["redirect_uri"] == "https://shop.example/callback");
  CHECK(sent["scope"] == "openid profile email");
  CHECK(sent["state"].size() == 22);
  CHECK(sent["nonce"].size() == 22);
  const std::vector<std::string> cookies = cookies_of(begun);
  REQUIRE(cookies.size() == 1);
  CHECK(cookies[0].starts_with("__Host-oidc-" + sent["state"] + "="));
  CHECK(cookies[0].ends_with("; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax"));
  CHECK_FALSE(cookies[0].contains(sent["nonce"]));

  const std::string query = scene.provider.log_in(location);
  const TestResponse finished = scene.finish(query);
  CHECK(finished.status() == 303);
  CHECK(finished.header("location") == "/orders?page=2");
  CHECK(scene.get("/me") == "ann");

  CHECK(scene.finish(query).status() == 400);  // the cookie of the login is gone
}

TEST_CASE("the session gets a new id, and the one before is worth nothing") {
  Scene scene;
  const TestResponse visit = scene.browser.get("/visit").send();
  const std::string before = cookies_of(visit).at(0).substr(0, cookies_of(visit).at(0).find(';'));
  const TestResponse finished = scene.finish(scene.provider.log_in(scene.begin()));
  bool is_renewed = false;
  for (const std::string& cookie : cookies_of(finished)) {
    is_renewed = is_renewed || (cookie.starts_with("__Host-session=") && !cookie.starts_with(before));
  }
  CHECK(is_renewed);
  TestClient other(service(scene.provider, options_with_secret()), {.io = test_options(1).io});
  CHECK(other.get("/me").header("Cookie", before).send().body() == "none");
  CHECK(scene.get("/me") == "ann");
}

TEST_CASE("logins in two tabs do not disturb each other") {
  Scene scene;
  const std::string first = scene.begin("/login?return_to=/a");
  const std::string second = scene.begin("/login?return_to=/b");
  CHECK(scene.finish(scene.provider.log_in(second)).header("location") == "/b");
  CHECK(scene.finish(scene.provider.log_in(first)).header("location") == "/a");
}

TEST_CASE("a browser keeps a bounded number of logins under way, the latest ones") {
  Scene scene;
  std::vector<std::string> begun;
  for (int i = 0; i < 8; ++i) begun.push_back(scene.begin());
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(scene.finish(scene.provider.log_in(begun[static_cast<std::size_t>(i)])).status() == (i < 2 ? 400 : 303));
  }
  // Names that the service has not made are not deleted, and do no harm.
  CHECK(scene.browser.get("/login").header("Cookie", "__Host-oidc-a(b=c; __Host-oidc-=d").send().status() == 303);
}

TEST_CASE("a response that does not belong to a login of this browser is refused") {
  Scene scene;
  const std::string query = scene.provider.log_in(scene.begin());
  const std::string state = query.substr(query.find("&state="));
  TestClient other(service(scene.provider, options_with_secret()), {.io = test_options(1).io});
  CHECK(other.get("/callback?" + query).send().status() == 400);
  const std::string cases[] = {
      "code=code-1",                                   // no state
      "code=code-1&state=AAAAAAAAAAAAAAAAAAAAAA",      // an unknown one
      "code=code-1&state=",                            //
      "code=code-1&code=code-2" + state,               // RFC 6749 section 3.1
      query + "&iss=" + "https%3A%2F%2Fevil.example",  // RFC 9207
  };
  for (const std::string& one : cases) {
    CAPTURE(one);
    const TestResponse refused = scene.finish(one);
    CHECK(refused.status() == 400);
    CHECK(refused.header("content-type") == "application/problem+json");
  }
  CHECK(scene.get("/me") == "none");
  CHECK(scene.finish(query + "&iss=" + scene.provider.issuer()).status() == 303);
}

TEST_CASE("iss is required if the metadata says that it is sent") {
  Scene scene;
  scene.provider.set(&Script::metadata, {{"authorization_response_iss_parameter_supported", "true"}});
  CHECK(scene.log_in() == 400);
  CHECK(scene.finish(scene.provider.log_in(scene.begin()) + "&iss=" + scene.provider.issuer()).status() == 303);
}

TEST_CASE("the page to return to is one of this service") {
  const struct {
    std::string_view given, want;
  } cases[] = {
      {"/orders", "/orders"},     {"https://evil.example/", "/"}, {"//evil.example/", "/"},
      {"/%5Cevil.example/", "/"}, {"/a%0D%0ASet-Cookie:x", "/"},  {"", "/"},
  };
  Scene scene;
  for (const auto& [given, want] : cases) {
    CAPTURE(given);
    const std::string location = scene.begin("/login?return_to=" + std::string(given));
    CHECK(scene.finish(scene.provider.log_in(location)).header("location") == want);
  }
  const std::string location = scene.begin("/login?return_to=/" + std::string(1024, 'a'));
  CHECK(scene.finish(scene.provider.log_in(location)).header("location") == "/");
}

TEST_CASE("errors of the authorization endpoint become responses, with a description that is harmless") {
  const struct {
    std::string_view error;
    int status;
    std::string_view detail;
  } cases[] = {
      {"error=access_denied&error_description=No+thanks", 403, "the identity provider refused the login: No thanks"},
      {"error=login_required", 403, "the identity provider refused the login: login_required"},
      {"error=access_denied&error_description=%00%ff", 403, "the identity provider refused the login: access_denied"},
      {"error=invalid_scope", 502, "do not fit together"},
      {"error=temporarily_unavailable", 503, "is unavailable"},
      {"error=server_error", 503, "is unavailable"},
      {"", 502, "do not fit together"},  // neither a code nor an error
  };
  Scene scene;
  for (const auto& [error, status, detail] : cases) {
    CAPTURE(error);
    const std::string query = scene.provider.log_in(scene.begin());
    const TestResponse response = scene.finish(std::string(error) + query.substr(query.find("&state=")));
    CHECK(response.status() == status);
    CHECK(response.body().contains(detail));
    CHECK(response.header("cache-control") == "no-store");
  }
  CHECK(scene.get("/me") == "none");
}

TEST_CASE("an ID token that is not for this login is refused") {
  const struct {
    const char* why;
    Members claims;
    Members tokens = {};
  } cases[] = {
      {"another login", {{"nonce", "\"AAAA\""}}},
      {"no nonce", {{"nonce", ""}}},
      {"no subject", {{"sub", ""}}},
      {"for another client", {{"azp", "\"other\""}}},
      {"another access token", {{"at_hash", "\"AAAA\""}}},
      {"a claim of a wrong type", {{"nonce", "7"}}},
      {"no ID token", {}, {{"id_token", ""}}},
      {"not a JWT", {}, {{"id_token", "\"a.b.c\""}}},
      {"not signed", {}, {{"id_token", "\"eyJhbGciOiJub25lIn0.e30.\""}}},
      {"a token that is not a bearer's", {}, {{"token_type", "\"mac\""}}},
      {"no access token", {}, {{"access_token", ""}}},
  };
  Scene scene;
  for (const auto& [why, claims, tokens] : cases) {
    CAPTURE(why);
    scene.provider.set(&Script::claims, claims);
    scene.provider.set(&Script::tokens, tokens);
    CHECK(scene.log_in() == 502);
  }
  CHECK(scene.get("/me") == "none");
  scene.provider.set(&Script::claims, {{"azp", "\"shop\""}});
  scene.provider.set(&Script::tokens, {});
  CHECK(scene.log_in() == 303);
}

TEST_CASE("the algorithms of ID tokens are those that the service allows") {
  OidcOptions options = options_with_secret();
  options.algorithms = {auth::JwtAlgorithm::es256};
  Scene scene(std::move(options));
  CHECK(scene.log_in() == 502);  // the provider signs with EdDSA, and publishes the key
  const auth::JwtSigningKey key = provider_key("2", auth::JwtAlgorithm::es256);
  scene.provider.set(&Script::keys, std::make_shared<auth::JwtSigner>(key));
  scene.provider.set(&Script::signing_key, key);
  CHECK(scene.log_in() == 303);
}

TEST_CASE("after a rotation, the provider's new keys are fetched") {
  Scene scene;
  CHECK(scene.log_in() == 303);
  scene.provider.rotate_keys("2");
  scene.browser.clock().advance(31s);  // RemoteKeysOptions::refetch_interval
  CHECK(scene.log_in() == 303);
  scene.provider.set(&Script::signing_key, provider_key("3"));  // not published
  CHECK(scene.log_in() == 502);
}

TEST_CASE("the client authenticates as it is registered") {
  using enum OidcClientAuth;
  const struct {
    const char* why;
    OidcClientAuth method;
    std::string supported;  // JSON; empty: the metadata does not say
    std::string_view secret;
    bool in_field;
    std::string_view in_body;
  } cases[] = {
      {"a secret", automatic, "", "s:e cret", true, "none"},
      {"only post", automatic, R"(["client_secret_post"])", "s:e cret", false, "s:e cret"},
      {"both", automatic, R"(["client_secret_post","client_secret_basic"])", "s:e cret", true, "none"},
      {"by choice", post, "", "s:e cret", false, "s:e cret"},
      {"a public client", automatic, "", "", false, "none"},
  };
  for (const auto& [why, method, supported, secret, in_field, in_body] : cases) {
    CAPTURE(why);
    Scene scene({.client_secret = std::string(secret), .keys = CookieKeys::random(), .client_auth = method});
    scene.provider.set(&Script::metadata, {{"token_endpoint_auth_methods_supported", supported}});
    CHECK(scene.log_in() == 303);
    // RFC 6749 section 2.3.1: "shop" and "s%3Ae%20cret", in base64
    const std::string want = in_field ? "Basic c2hvcDpzJTNBZSUyMGNyZXQ=" : "";
    CHECK(scene.provider.get(&Script::last_authorization) == want);
    const Parameters sent = scene.provider.get(&Script::last_token_request);
    CHECK((sent.contains("client_secret") ? sent.at("client_secret") : "none") == in_body);
    CHECK(sent.contains("client_id") == !in_field);
  }
}

TEST_CASE("a provider that is down or wrong is an error response, and recovers") {
  const struct {
    const char* why;
    Status status;
    Members metadata;
    int want;
  } cases[] = {
      {"down", Status::service_unavailable, {}, 503},
      {"no metadata", Status::not_found, {}, 502},
      {"another issuer", Status::ok, {{"issuer", "\"https://evil.example\""}}, 502},
      {"an endpoint of another scheme", Status::ok, {{"token_endpoint", "\"file:///etc/passwd\""}}, 502},
      {"a missing member", Status::ok, {{"jwks_uri", ""}}, 502},
      {"no code flow", Status::ok, {{"response_types_supported", R"(["id_token"])"}}, 502},
  };
  Scene scene;
  for (const auto& [why, status, metadata, want] : cases) {
    CAPTURE(why);
    scene.browser.clock().advance(6s);  // OidcOptions::retry_interval
    const int before = scene.provider.get(&Script::metadata_requests);
    scene.provider.set(&Script::metadata_status, status);
    scene.provider.set(&Script::metadata, metadata);
    CHECK(scene.browser.get("/login").send().status() == want);
    CHECK(scene.browser.get("/login").send().status() == want);
    CHECK(scene.provider.get(&Script::metadata_requests) == before + 1);  // not twice in the interval
    CHECK(scene.get("/logout") == "none");
  }
  scene.browser.clock().advance(6s);
  scene.provider.set(&Script::metadata, {});
  CHECK(scene.log_in() == 303);

  scene.browser.clock().advance(2h);
  scene.provider.set(&Script::metadata_status, Status::service_unavailable);
  CHECK(scene.log_in() == 303);  // with the metadata that it has
}

TEST_CASE("a token endpoint that is down or refuses is an error response") {
  const struct {
    Status status;
    std::string error;
    int want;
  } cases[] = {
      {Status::internal_server_error, "", 503},
      {Status::too_many_requests, "", 503},
      {Status::unauthorized, "invalid_client", 502},
      {Status::bad_request, "invalid_grant", 400},
  };
  Scene scene;
  for (const auto& [status, error, want] : cases) {
    CAPTURE(code(status));
    scene.provider.set(&Script::token_status, status);
    scene.provider.set(&Script::token_error, error);
    CHECK(scene.log_in() == want);
    CHECK(scene.browser.get("/refresh").send().status() == want);
  }
}

TEST_CASE("without a server at the address of the provider, the response is 503") {
  std::string address;
  {
    const IdentityProvider gone;
    address = gone.issuer();
  }
  const IdentityProvider provider;
  App app;
  app.state(OidcClient(std::make_shared<HttpClient>(), {.issuer = address,
                                                        .client_id = "shop",
                                                        .redirect_uri = "http://localhost/callback",
                                                        .keys = CookieKeys::random(),
                                                        .allow_http = true}));
  app.get("/login", begin_login);
  TestClient browser(std::move(app), {.io = test_options(1).io});
  CHECK(browser.get("/login").send().status() == 503);
}

TEST_CASE("the UserInfo response is that of the ID token's user") {
  OidcOptions options = options_with_secret();
  options.user_info = true;
  Scene scene(std::move(options));
  scene.provider.set(&Script::user_info, R"({"sub":"ann","email":"ann@example.org"})");
  CHECK(scene.log_in() == 303);
  CHECK(scene.get("/info") == R"({"sub":"ann","email":"ann@example.org"})");
  for (const char* wrong : {R"({"sub":"eve"})", R"({"email":"ann@example.org"})", "x"}) {
    CAPTURE(wrong);
    scene.provider.set(&Script::user_info, wrong);
    CHECK(scene.log_in() == 502);
  }
}

TEST_CASE("a refresh returns new tokens of the same user") {
  Scene scene;
  CHECK(scene.get("/refresh") == "access of ann");
  CHECK(scene.provider.get(&Script::last_token_request).at("refresh_token") == "again");
  scene.provider.set(&Script::tokens, {{"id_token", ""}});
  CHECK(scene.browser.get("/refresh").send().status() == 200);
  scene.provider.set(&Script::tokens, {});
  scene.provider.set(&Script::claims, {{"sub", "\"eve\""}});
  CHECK(scene.browser.get("/refresh").send().status() == 502);
}

TEST_CASE("the page for logging out at the provider is that of the metadata") {
  Scene scene;
  CHECK(scene.get("/logout") == scene.provider.issuer() +
                                    "/logout?id_token_hint=the-token&client_id=shop&post_logout_redirect_uri="
                                    "https%3A%2F%2Fshop.example%2F");
  Scene without;
  without.provider.set(&Script::metadata, {{"end_session_endpoint", ""}});
  CHECK(without.get("/logout") == "none");
}

TEST_SUITE_END();
}  // namespace volt::http
