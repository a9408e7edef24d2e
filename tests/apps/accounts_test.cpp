// SPDX-License-Identifier: MIT

#include "apps/accounts/accounts.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"
#include "tests/http/oidc/identity_provider.h"

namespace accounts {
namespace {

namespace http = volt::http;
using test::on_test_engine;

constexpr std::string_view kPassword = "correct horse battery";

Options quick_options() {
  Options options{.keys = http::CookieKeys({"0123456789abcdef0123456789abcdef"})};
  options.passwords.cost = {.memory_kib = 64, .passes = 1, .lanes = 1};
  options.admin_password = kPassword;
  options.login_burst = 1000;
  return options;
}

// One browser at the service. Others with the same store are other browsers.
class Browser {
 public:
  explicit Browser(const Store& store = Store(":memory:"), Options options = quick_options())
      : client_(make_app(store, std::move(options)), on_test_engine()) {
    client_.keep_cookies();
  }

  http::TestResponse get(std::string_view path) { return client_.get(path).header("User-Agent", "A & B").send(); }
  // Sends a form of the page at `page`, with its CSRF token, as a browser without Sec-Fetch-Site and Origin does.
  http::TestResponse post(std::string_view page, std::string_view path,
                          std::initializer_list<std::pair<std::string_view, std::string_view>> fields = {}) {
    const std::string token = get(page).input("csrf_token").value_or("none");
    return client_.post(path).header("X-Csrf-Token", token).header("User-Agent", "A & B").form(fields).send();
  }
  http::TestResponse sign_up(std::string_view name, std::string_view password = kPassword) {
    return post("/signup", "/signup/new", {{"name", name}, {"password", password}});
  }
  http::TestResponse log_in(std::string_view name, std::string_view password = kPassword,
                            std::string_view return_to = "") {
    return post("/login", "/login/password", {{"name", name}, {"password", password}, {"return_to", return_to}});
  }
  [[nodiscard]] std::string name() {
    const http::TestResponse response = get("/api/v1/me");
    return response.status() == 200 ? response.json<Listed>().name : std::string("none");
  }
  http::TestClient& client() { return client_; }

 private:
  http::TestClient client_;
};

}  // namespace

TEST_SUITE_BEGIN("apps/accounts");

TEST_CASE("a user signs up, is logged in, logs out and logs in again") {
  Browser ann;
  CHECK(ann.get("/").body().contains("You are not logged in"));
  CHECK(ann.name() == "none");
  CHECK(ann.get("/account/sessions").header("location") == "/login");
  const http::TestResponse signed_up = ann.sign_up("ann");
  CHECK(signed_up.status() == 303);
  CHECK(ann.name() == "ann");
  CHECK(ann.get("/").body().contains("<strong>ann</strong>"));
  CHECK(ann.post("/", "/account/logout").header("location") == "/");
  CHECK(ann.name() == "none");
  CHECK(ann.log_in("ann", kPassword, "/account/sessions").header("location") == "/account/sessions");
  CHECK(ann.name() == "ann");
  CHECK(ann.log_in("ann", kPassword, "//evil.example/").header("location") == "/");
}

TEST_CASE("entries that do not fit are refused, and the page shows why") {
  Browser ann;
  CHECK(ann.sign_up("ann").status() == 303);
  const struct {
    std::string_view name, password, sentence;
  } cases[] = {
      {"ann", kPassword, "This name is taken."},
      {"<b>", kPassword, "The name must have"},
      {"ab", kPassword, "The name must have"},
      {"bob", "too short", "The password must have"},
  };
  for (const auto& [name, password, sentence] : cases) {
    CAPTURE(name);
    const http::TestResponse refused = ann.sign_up(name, password);
    CHECK(refused.status() == 422);
    CHECK(refused.body().contains(std::string("<p role=\"alert\">") + std::string(sentence)));
    CHECK_FALSE(refused.body().contains("<b>"));
  }
}

TEST_CASE("a wrong password and an unknown name have one response") {
  Browser ann;
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann.post("/", "/account/logout").status() == 303);
  const auto answer_to = [&ann](std::string_view name, std::string_view password) {
    const http::TestResponse response = ann.log_in(name, password);
    CHECK(response.status() == 422);
    CHECK(response.body().contains("The name or the password is wrong."));
    std::string body = response.body();
    body.erase(body.find("value=\"" + std::string(name)), std::string("value=\"").size() + name.size());
    return body;
  };
  CHECK(answer_to("ann", "wrong password") == answer_to("eve", "wrong password"));
  CHECK(answer_to("ann", "") == answer_to("ann", std::string(1000, 'x')));
  CHECK(ann.name() == "none");
}

TEST_CASE("a login gets another cookie, and a copy of the cookie is worth nothing after the logout") {
  const Store store(":memory:");
  Browser ann(store);
  const auto session_of = [](const http::TestResponse& response) {
    for (const http::TestField& field : response.headers()) {
      if (field.name == "Set-Cookie" && field.value.starts_with("__Host-session=")) {
        return field.value.substr(0, field.value.find(';'));
      }
    }
    return std::string("none");
  };
  const std::string first = session_of(ann.sign_up("ann"));
  const std::string second = session_of(ann.log_in("ann"));
  CHECK(first != second);
  CHECK(ann.post("/", "/account/logout").status() == 303);
  http::TestClient thief(make_app(store, quick_options()), on_test_engine());
  CHECK(thief.get("/api/v1/me").header("Cookie", second).send().status() == 401);
  CHECK(thief.get("/api/v1/me").header("Cookie", first).send().status() == 200);  // a login of its own, not ended
}

TEST_CASE("sessions are listed, and one user cannot revoke those of another") {
  const Store store(":memory:");
  Browser laptop(store), phone(store), other(store);
  CHECK(laptop.sign_up("ann").status() == 303);
  CHECK(phone.log_in("ann").status() == 303);
  CHECK(other.sign_up("bob").status() == 303);
  const auto logins = laptop.get("/api/v1/sessions").json<std::vector<Login>>();
  REQUIRE(logins.size() == 2);
  CHECK(logins[0].agent == "A & B");
  const std::string of_phone = std::to_string(logins[0].id);
  const http::TestResponse page = laptop.get("/account/sessions");
  CHECK(page.body().contains("A &amp; B"));
  CHECK(page.body().contains("this session"));
  CHECK(page.body().contains("action=\"/account/sessions/" + of_phone + "/revoke\""));

  CHECK(other.post("/account/sessions", "/account/sessions/" + of_phone + "/revoke").status() ==
        403);  // no form on the page: no token
  CHECK(other.post("/", "/account/sessions/" + of_phone + "/revoke").status() == 404);
  CHECK(phone.name() == "ann");
  CHECK(laptop.post("/account/sessions", "/account/sessions/" + of_phone + "/revoke").header("location") ==
        "/account/sessions");
  CHECK(phone.name() == "none");
  const std::string of_laptop = "/api/v1/sessions/" + std::to_string(logins[1].id);
  CHECK(laptop.client().del(of_laptop).same_origin().send().status() == 204);
  CHECK(laptop.name() == "none");
}

TEST_CASE("admins see the users and change roles, at once and not their own") {
  const Store store(":memory:");
  Browser admin(store), ann(store);
  CHECK(admin.log_in("admin").status() == 303);
  CHECK(ann.sign_up("ann").status() == 303);
  CHECK(ann.get("/account/admin/users").status() == 403);
  CHECK(ann.get("/account/admin/users").body().contains("<p role=\"alert\">the user lacks the right"));
  CHECK(ann.get("/api/v1/admin/users").status() == 403);
  CHECK(ann.post("/", "/account/admin/users/1/role", {{"role", "member"}}).status() == 403);

  const auto users = admin.get("/api/v1/admin/users").json<std::vector<Listed>>();
  REQUIRE(users.size() == 2);
  const std::string path = "/account/admin/users/" + std::to_string(users[1].id) + "/role";
  CHECK(admin.get("/account/admin/users").body().contains("Make ann admin"));
  CHECK(admin.post("/account/admin/users", path, {{"role", "admin"}}).header("location") == "/account/admin/users");
  CHECK(ann.get("/account/admin/users").status() == 200);
  CHECK(admin
            .post("/account/admin/users", "/account/admin/users/" + std::to_string(users[0].id) + "/role",
                  {{"role", "member"}})
            .status() == 409);
  CHECK(admin.post("/account/admin/users", "/account/admin/users/99/role", {{"role", "member"}}).status() == 404);
  CHECK(admin.post("/account/admin/users", path, {{"role", "king"}}).status() == 422);
}

TEST_CASE("each form needs its CSRF token") {
  Browser ann;
  CHECK(ann.sign_up("ann").status() == 303);
  for (const char* path : {"/signup/new", "/login/password", "/account/logout", "/account/sessions/1/revoke",
                           "/account/admin/users/1/role"}) {
    CAPTURE(path);
    const http::TestResponse refused =
        ann.client().post(path).form({{"name", "ann"}, {"password", kPassword}, {"role", "admin"}}).send();
    CHECK(refused.status() == 403);
    CHECK(ann.client().post(path).cross_site().form({}).send().status() == 403);
  }
  CHECK(ann.client().del("/api/v1/sessions/1").send().status() == 403);
  CHECK(ann.name() == "ann");
}

TEST_CASE("too many logins are refused with a page") {
  Options options = quick_options();
  options.login_burst = 2;
  Browser eve(Store(":memory:"), std::move(options));
  for (int i = 0; i < 2; ++i) CHECK(eve.log_in("admin", "guess").status() == 422);
  const http::TestResponse refused = eve.log_in("admin");
  CHECK(refused.status() == 429);
  CHECK(refused.header("retry-after") == "6");
  CHECK(refused.header("content-type") == "text/html; charset=utf-8");
  CHECK(eve.get("/login").status() == 200);
}

TEST_CASE("the service is ready if its database is, and its API document says what is refused") {
  Browser any;
  CHECK(any.client().not_ready().empty());
  const std::string document = any.get("/openapi.json").body();
  for (const char* part : {"/api/v1/sessions/{id}", "revoke_session", "__Host-session", "\"401\"", "\"403\""}) {
    CAPTURE(part);
    CHECK(document.contains(part));
  }
  CHECK_FALSE(document.contains("/signup"));
  CHECK(any.get("/style.css").header("content-type") == "text/css; charset=utf-8");
}

TEST_CASE("a user of an OpenID provider gets an account of one's own, whatever the name") {
  http::IdentityProvider provider;
  const auto options = [&provider] {  // each runtime needs an HttpClient of its own
    Options made = quick_options();
    made.oidc = http::OidcClient(std::make_shared<http::HttpClient>(), {.issuer = provider.issuer(),
                                                                        .client_id = "shop",
                                                                        .redirect_uri = "http://a/login/callback",
                                                                        .keys = made.keys,
                                                                        .allow_http = true});
    return made;
  };
  const Store store(":memory:");
  Browser ann(store, options()), eve(store, options());
  CHECK(ann.get("/login").body().contains("Log in with your organization"));
  const auto log_in = [&provider](Browser& browser, const std::string& subject, std::string_view path) {
    const http::TestResponse begun = browser.get(path);
    REQUIRE(begun.status() == 303);
    return browser.get("/login/callback?" + provider.log_in(*begun.header("location"), subject));
  };
  provider.set(&http::IdentityProvider::Script::claims, {{"preferred_username", "\"ann\""}});
  CHECK(log_in(ann, "1", "/login/oidc?return_to=/account/sessions").header("location") == "/account/sessions");
  CHECK(ann.name() == "ann");
  CHECK(log_in(eve, "2", "/login/oidc").status() == 303);  // another user with that name at the provider
  CHECK(eve.name().starts_with("user-"));
  CHECK(log_in(eve, "1", "/login/oidc").status() == 303);
  CHECK(eve.name() == "ann");
  CHECK(eve.log_in("ann", "").status() == 422);  // there is no password

  const http::TestResponse refused = ann.get("/login/callback?code=x&state=y");
  CHECK(refused.status() == 400);
  CHECK(refused.body().contains("<p role=\"alert\">this browser has not begun this login"));
}

TEST_SUITE_END();
}  // namespace accounts
