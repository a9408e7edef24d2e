// SPDX-License-Identifier: MIT

#include "http/middleware/access.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/openapi/openapi.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "tests/support/in_process_app.h"

namespace volt::http::access_test {
namespace {

using test::InProcessApp;

struct Member {
  std::string name;
  bool admin = false;
};

std::optional<Member> member_of(std::string_view key) {
  if (key != "right") return std::nullopt;
  return Member{"ann"};
}

Task<std::optional<Member>> find_member(std::string_view key) { co_return member_of(key); }

Task<Response> sign_in(Request& request, Next next) {  // as a login would have done in an earlier request
  if (const auto user = request.header("x-user")) request.get<Session>().set("user", std::string(*user));
  co_return co_await next(request);
}

std::optional<Member> member_of_session(const Session& session) {
  const auto name = session.get<std::string>("user");
  return name ? std::optional(Member{*name, *name == "root"}) : std::nullopt;
}

App members_only() {
  App app;
  app.use(sessions(), sign_in);
  auto members = app.group("/members");
  members.use(session_auth(member_of_session));
  members.get("/name", [](From<Member> member) { return member->name; });
  auto admins = members.group("/admin");
  admins.use(permit<Member>([](const Member& member) { return member.admin; }));
  admins.get("", [] { return "secret"; });
  return app;
}

std::string document_of(const App& app) { return app.openapi({.title = "t", .version = "1"}); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE_BEGIN("http/middleware/access");

TEST_CASE("an API key in a header field or a cookie is checked, and other requests get 401 with a challenge") {
  const auto app_with = [](Middleware middleware) {
    App app;
    app.use(std::move(middleware));
    app.get("/", [](From<Member> member) { return member->name; });
    return app;
  };
  const struct {
    std::string_view why;
    FieldsOf fields;
    bool in_cookie;
    bool accepted;
  } cases[] = {
      {"the right key", {{"X-Api-Key", "right"}}, false, true},
      {"a wrong key", {{"X-Api-Key", "wrong"}}, false, false},
      {"no key", {}, false, false},
      {"the key in a cookie instead", {{"Cookie", "x-api-key=right"}}, false, false},
      {"the right cookie", {{"Cookie", "a=b; x-api-key=right"}}, true, true},
      {"a wrong cookie", {{"Cookie", "x-api-key=wrong"}}, true, false},
      {"the key in a field instead", {{"X-Api-Key", "right"}}, true, false},
  };
  for (const bool waits : {false, true}) {
    for (const auto& [why, fields, in_cookie, accepted] : cases) {
      CAPTURE(why);
      CAPTURE(waits);
      const ApiKeyOptions options{.in_cookie = in_cookie};
      InProcessApp app(app_with(waits ? api_key_auth(find_member, options) : api_key_auth(member_of, options)));
      const Response response = app.ask({.fields = fields});
      CHECK(code(response.status()) == (accepted ? 200 : 401));
      if (accepted) {
        CHECK(response.body() == "ann");
      } else {
        CHECK(response.header("WWW-Authenticate") ==
              (in_cookie ? R"(ApiKey cookie-name="x-api-key")" : R"(ApiKey header-name="x-api-key")"));
      }
    }
  }
}

TEST_CASE("a session is checked, and permit() refuses users without the right") {
  const struct {
    std::string_view why;
    std::string path;
    FieldsOf fields;
    int status;
  } cases[] = {
      {"a visitor", "/members/name", {}, 401},
      {"a visitor is not told about rights", "/members/admin", {}, 401},
      {"a user", "/members/name", {{"X-User", "ann"}}, 200},
      {"a user without the right", "/members/admin", {{"X-User", "ann"}}, 403},
      {"a user with the right", "/members/admin", {{"X-User", "root"}}, 200},
  };
  InProcessApp app(members_only());
  for (const auto& [why, path, fields, status] : cases) {
    CAPTURE(why);
    const Response response = app.ask({.path = path, .fields = fields});
    CHECK(code(response.status()) == status);
    if (status == 401) CHECK(response.header("WWW-Authenticate") == R"(Cookie cookie-name="__Host-session")");
  }
}

TEST_CASE("visitors of pages are redirected to the login") {
  App app;
  app.use(sessions(), sign_in);
  auto pages = app.group("/pages");
  pages.use(session_auth(member_of_session, {.login_page = "/login"}));
  pages.get("/name", [](From<Member> member) { return member->name; });
  CHECK_FALSE(has(document_of(app), "security"));
  InProcessApp served(std::move(app));
  const Response visitor = served.ask({.path = "/pages/name"});
  CHECK(visitor.status() == Status::see_other);
  CHECK(visitor.header("Location") == "/login");
  CHECK(served.ask({.path = "/pages/name", .fields = {{"X-User", "ann"}}}).body() == "ann");
}

TEST_CASE("the OpenAPI document has the credentials, 401 and 403") {
  App app = members_only();
  auto keyed = app.group("/keyed");
  keyed.use(api_key_auth(member_of, {.name = "x+key"}));
  keyed.get("", [] {});
  const std::string document = document_of(app);
  CHECK(has(document,
            R"("securitySchemes":{"cookie.__Host-session":{"type":"apiKey","in":"cookie","name":"__Host-session"},)"
            R"("header.x_key":{"type":"apiKey","in":"header","name":"x+key"}})"));
  const std::string_view problem = R"({"$ref":"#/components/responses/Problem","description":")";
  const auto refusal = [problem](std::string_view status, std::string_view phrase) {
    return "\"" + std::string(status) + "\":" + std::string(problem) + std::string(phrase) + "\"}";
  };
  const std::string unauthorized = refusal("401", "Unauthorized");
  const std::string end = R"(,"default":{"$ref":"#/components/responses/Problem"}},"security":[{")";
  CHECK(has(document, unauthorized + "," + refusal("403", "Forbidden") + end + R"(cookie.__Host-session":[]}]})"));
  CHECK(has(document, unauthorized + end + R"(cookie.__Host-session":[]}]})"));
  CHECK(has(document, unauthorized + end + R"(header.x_key":[]}]})"));
}

TEST_CASE("names that are not tokens are refused when the app is built") {
  CHECK_THROWS_AS(static_cast<void>(api_key_auth(member_of, {.name = "a b"})), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(api_key_auth(member_of, {.name = "", .in_cookie = true})), std::invalid_argument);
  Middleware middleware(sign_in);
  CHECK_THROWS_AS(middleware.requires_credentials(Credentials::cookie), std::invalid_argument);
  CHECK_THROWS_AS(middleware.requires_credentials(Credentials::bearer, "token"), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http::access_test
