// SPDX-License-Identifier: MIT

#include "http/middleware/session.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "http/cookies/memory_sessions.h"
#include "http/http.h"
#include "runtime/blocking.h"
#include "tests/http/in_process_app.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

App sample(SessionOptions options) {
  App app;
  app.use(sessions(std::move(options)));
  app.get("/count", [](From<Session> session) {
    const int count = session->get<int>("count").value_or(0) + 1;
    session->set("count", count);
    return std::to_string(count);
  });
  app.get("/look", [](From<Session> session) { return std::to_string(session->get<int>("count").value_or(0)); });
  app.get("/text", [](From<Session> session) { return session->get<std::string>("count").value_or("none"); });
  app.get("/erase", [](From<Session> session) { return session->erase("count") ? "erased" : "nothing"; });
  app.get("/rotate", [](From<Session> session) { return session->rotate(); });
  app.get("/destroy", [](From<Session> session) { return session->destroy(); });
  app.get("/again", [](From<Session> session) {
    session->destroy();
    session->set("count", 100);
  });
  app.get("/large", [](From<Session> session) { session->set("text", std::string(20'000, 'x')); });
  app.get("/throws", [](From<Session> session) {
    session->set("count", 7);
    throw not_found();
  });
  app.get("/cached", [](From<Session> session) {
    session->set("count", 8);
    return Response(Status::no_content).header("Cache-Control", "no-store");
  });
  return app;
}

std::string cookie_of(const Response& response) {
  const std::string field(response.header("set-cookie").value_or(""));
  return field.substr(0, field.find(';'));
}

// A client that keeps its cookie.
class Visitor {
 public:
  explicit Visitor(InProcessApp& app) : app_(app) {}

  Response get(const std::string& path) {
    files::FieldPairs fields;
    if (!cookie.empty()) fields.emplace_back("cookie", cookie);
    Response response = app_.ask({.path = path, .fields = fields});
    if (response.header("set-cookie")) cookie = cookie_of(response);
    return response;
  }

  std::string cookie;

 private:
  InProcessApp& app_;
};

std::vector<SessionOptions> all_kinds() {
  SessionOptions in_cookie;
  in_cookie.keys = CookieKeys::random();
  SessionOptions in_store = in_cookie;
  in_store.store = std::make_shared<MemorySessions>();
  return {SessionOptions(), in_cookie, in_store};
}

}  // namespace

TEST_SUITE_BEGIN("http/session");

TEST_CASE("a value is available to later requests of the client, and to no other client") {
  for (const SessionOptions& options : all_kinds()) {
    InProcessApp app(sample(options));
    Visitor one(app), other(app);
    CHECK(one.get("/count").body() == "1");
    CHECK(one.get("/count").body() == "2");
    CHECK(other.get("/count").body() == "1");
    CHECK(one.get("/look").body() == "2");
    CHECK(one.get("/text").body() == "none");  // the value has another type
    CHECK(one.get("/erase").body() == "erased");
    CHECK(one.get("/erase").body() == "nothing");
    CHECK(one.get("/look").body() == "0");
    CHECK(one.get("/throws").status() == Status::not_found);  // the session is saved with an error response too
    CHECK(one.get("/look").body() == "7");
  }
}

TEST_CASE("the cookie has the prefix __Host-, is secure and HttpOnly, and is not cached") {
  for (const SessionOptions& options : all_kinds()) {
    InProcessApp app(sample(options));
    const Response response = Visitor(app).get("/count");
    const std::string field(response.header("set-cookie").value_or(""));
    CAPTURE(field);
    CHECK(field.starts_with("__Host-session="));
    CHECK(field.ends_with("; Path=/; Max-Age=86400; Secure; HttpOnly; SameSite=Lax"));
    CHECK(response.header("cache-control").value() == "private");
    CHECK(Visitor(app).get("/cached").header("cache-control").value() == "no-store");
  }
}

TEST_CASE("the cookie is written only when the session has changed or half its idle time is over") {
  for (SessionOptions options : all_kinds()) {
    InProcessApp app(sample(options));
    Visitor visitor(app);
    CHECK_FALSE(visitor.get("/look").header("set-cookie"));
    CHECK_FALSE(visitor.get("/rotate").header("set-cookie"));  // an empty session has no cookie to rotate
    CHECK_FALSE(visitor.get("/erase").header("set-cookie"));
    CHECK(visitor.get("/count").header("set-cookie"));
    CHECK_FALSE(visitor.get("/look").header("set-cookie"));

    options.idle_time = 1s;  // half of it, in whole seconds, is 0 s
    if (options.store != nullptr)
      options.store = std::make_shared<MemorySessions>(MemorySessionsOptions{.idle_time = 1s});
    InProcessApp near_end(sample(options));
    Visitor hurried(near_end);
    CHECK_FALSE(hurried.get("/look").header("set-cookie"));
    CHECK(test::eventually([&] {  // on a busy machine, the session may expire before it is looked at
      hurried.get("/count");
      return hurried.get("/look").header("set-cookie").has_value();
    }));
  }
}

TEST_CASE("an expired, forged or foreign cookie opens no session") {
  for (SessionOptions options : all_kinds()) {
    InProcessApp app(sample(options));
    for (const std::string value : {"", "x", "AAAAAAAAAAAAAAAAAAAAAA", "\x01"}) {
      Visitor forger(app);
      forger.cookie = "__Host-session=" + value;
      CHECK(forger.get("/look").body() == "0");
      const std::string planted = forger.cookie;
      CHECK(forger.get("/count").body() == "1");
      CHECK(forger.cookie != planted);  // a planted id is not adopted
    }
    options.life_time = 0s;
    InProcessApp short_lived(sample(options));
    Visitor visitor(short_lived);
    visitor.get("/count");
    CHECK(visitor.get("/look").body() == "0");
  }
}

TEST_CASE("after a rotation another cookie opens the session") {
  InProcessApp app(sample({}));
  Visitor visitor(app);
  visitor.get("/count");
  Visitor thief(app);
  thief.cookie = visitor.cookie;
  CHECK(visitor.get("/rotate").status() == Status::no_content);
  CHECK(visitor.cookie != thief.cookie);
  CHECK(visitor.get("/look").body() == "1");
  CHECK(thief.get("/look").body() == "0");
}

TEST_CASE("a destroyed session is deleted, and so is the client's cookie") {
  for (const SessionOptions& options : all_kinds()) {
    InProcessApp app(sample(options));
    Visitor visitor(app);
    visitor.get("/count");
    const std::string before = visitor.cookie;
    CHECK(visitor.get("/destroy").header("set-cookie").value().starts_with("__Host-session=; Path=/; Max-Age=0;"));
    CHECK(visitor.get("/look").body() == "0");
    Visitor later(app);
    later.cookie = before;
    CHECK(later.get("/look").body() ==
          (options.keys && !options.store ? "1" : "0"));  // in the cookie, an old one stays valid: see session.h
    visitor.get("/count");
    const std::string old = visitor.cookie;
    visitor.get("/again");
    CHECK(visitor.cookie != old);
    CHECK(visitor.get("/look").body() == "100");
  }
}

TEST_CASE("a session that one request has destroyed is not restored by another") {
  App app = sample({});
  InProcessApp* asked_app = nullptr;
  std::string cookie;
  app.get("/slow", [&](From<Session> session) -> Task<std::string> {
    session->set("count", 50);
    co_await blocking([&] { static_cast<void>(asked_app->ask({.path = "/destroy", .fields = {{"cookie", cookie}}})); });
    co_return "slow";
  });
  InProcessApp asked(std::move(app));
  asked_app = &asked;
  Visitor visitor(asked);
  visitor.get("/count");
  cookie = visitor.cookie;
  CHECK_FALSE(visitor.get("/slow").header("set-cookie"));
  CHECK(visitor.get("/look").body() == "0");
}

TEST_CASE("concurrent requests do not restore a session that one of them destroys") {
  InProcessApp asked(sample({}));
  const auto rounds = test::stress_rounds(300);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    Visitor visitor(asked);
    visitor.get("/count");
    const std::string cookie = visitor.cookie;
    Visitor beside(asked);
    std::thread other([&] {
      for (int i = 0; i != 5; ++i) {
        const Response response = asked.ask({.path = "/count", .fields = {{"cookie", cookie}}});
        if (response.header("set-cookie")) beside.cookie = cookie_of(response);
        if (response.body() == "1") return;  // the session was already destroyed: this is a new one
      }
    });
    visitor.get("/destroy");
    other.join();
    Visitor later(asked);
    later.cookie = cookie;
    REQUIRE(later.get("/look").body() == "0");
    const Response left = beside.get("/look");
    REQUIRE((left.body() == "0" || left.body() == "1"));  // no session, or one that began afterwards
  }
}

TEST_CASE("replicas with one store and one key share sessions and the tokens of visitors") {
  SessionOptions options;
  options.keys = CookieKeys::random();
  options.store = std::make_shared<MemorySessions>();
  const auto replica = [&] {
    App app = sample(options);
    app.get("/token", [](From<Session> session) { return session->csrf_token(); });
    return app;
  };
  InProcessApp one(replica()), other(replica());
  Visitor visitor(one), same(other);
  visitor.get("/count");
  same.cookie = visitor.cookie;
  CHECK(same.get("/count").body() == "2");
  CHECK(visitor.get("/look").body() == "2");
  Visitor thief(one);
  thief.cookie = visitor.cookie;
  same.get("/rotate");
  CHECK(thief.get("/look").body() == "0");
  CHECK(same.get("/look").body() == "2");
  visitor.cookie = same.cookie;
  visitor.get("/destroy");
  CHECK(same.get("/look").body() == "0");  // logged out of all replicas

  Visitor stranger(one), stranger_elsewhere(other);
  const std::string token(stranger.get("/token").body());
  stranger_elsewhere.cookie = stranger.cookie;
  CHECK(stranger_elsewhere.get("/token").body() == token);

  options.keys.reset();
  CHECK_THROWS_AS(static_cast<void>(sessions(options)), std::invalid_argument);
}

TEST_CASE("a session that is too large fails its request, and an invalid cookie fails the app") {
  for (const SessionOptions& options : all_kinds()) {
    InProcessApp app(sample(options));
    CHECK(Visitor(app).get("/large").status() == Status::internal_server_error);
  }
  SessionOptions options;
  options.secure = false;  // the name still has the prefix __Host-
  CHECK_THROWS_AS(static_cast<void>(sessions(options)), std::invalid_argument);
  options.cookie = "session";
  CHECK_NOTHROW(static_cast<void>(sessions(options)));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("http/csrf");

TEST_CASE("state-changing requests must come from our pages or carry the session's token") {
  App app;
  app.use(sessions(), csrf({.trusted_origins = {"https://admin.example.com"}}));
  app.get("/token", [](From<Session> session) { return session->csrf_token(); });
  app.get("/rotate", [](From<Session> session) { return session->rotate(); });
  app.route(std::nullopt, "/", [](Request& request) { return std::string(request.body()); });
  InProcessApp asked(std::move(app));
  Visitor visitor(asked);
  const std::string token(visitor.get("/token").body());
  CHECK(visitor.get("/token").body() == token);
  const std::string cookie = visitor.cookie;
  Visitor stranger(asked);
  const std::string other(stranger.get("/token").body());
  CHECK(other != token);
  const std::string form = "application/x-www-form-urlencoded";

  const struct {
    std::string why;
    Method method;
    files::FieldPairs fields;
    std::string body;
    int status;
  } cases[] = {
      {"GET is always allowed", Method::get, {{"sec-fetch-site", "cross-site"}}, "", 200},
      {"a page of our origin",
       Method::post,
       {{"sec-fetch-site", "same-origin"}, {"origin", "https://a.example"}},
       "",
       200},
      {"an address that the user entered", Method::post, {{"sec-fetch-site", "none"}}, "", 200},
      {"a page of another site", Method::post, {{"sec-fetch-site", "cross-site"}}, "", 403},
      {"a page of another subdomain", Method::post, {{"sec-fetch-site", "same-site"}}, "", 403},
      {"an unknown value of Sec-Fetch-Site", Method::post, {{"sec-fetch-site", "x"}}, "", 403},
      {"a trusted origin",
       Method::post,
       {{"sec-fetch-site", "same-site"}, {"origin", "https://admin.example.com"}},
       "",
       200},
      {"Origin is our host", Method::put, {{"origin", "http://example.com"}}, "", 200},
      {"Origin is our host by another scheme", Method::put, {{"origin", "https://example.com"}}, "", 403},
      {"Origin is our host, and a proxy terminates TLS",
       Method::put,
       {{"origin", "https://example.com"}, {"x-forwarded-proto", "https, http"}},
       "",
       200},
      {"Origin is our host without TLS, and a proxy terminates TLS",
       Method::put,
       {{"origin", "http://example.com"}, {"x-forwarded-proto", "https"}},
       "",
       403},
      {"Origin is another host", Method::put, {{"origin", "https://example.com.evil.example"}}, "", 403},
      {"Origin is null", Method::del, {{"origin", "null"}}, "", 403},
      {"neither field, and no token", Method::post, {{"cookie", cookie}}, "", 403},
      {"a token in the header", Method::post, {{"cookie", cookie}, {"x-csrf-token", token}}, "", 200},
      {"the token of another session", Method::post, {{"cookie", cookie}, {"x-csrf-token", other}}, "", 403},
      {"an empty token", Method::post, {{"cookie", cookie}, {"x-csrf-token", ""}}, "", 403},
      {"a token without its session", Method::post, {{"x-csrf-token", token}}, "", 403},
      {"an empty token without a session", Method::post, {{"x-csrf-token", ""}}, "", 403},
      {"a token in a form", Method::post, {{"cookie", cookie}, {"content-type", form}}, "a=b&csrf_token=" + token, 200},
      {"the token of another session in a form",
       Method::post,
       {{"cookie", cookie}, {"content-type", form}},
       "csrf_token=" + other,
       403},
      {"a form without its Content-Type", Method::post, {{"cookie", cookie}}, "csrf_token=" + token, 403},
      {"a valid token does not excuse a foreign origin",
       Method::post,
       {{"cookie", cookie}, {"x-csrf-token", token}, {"origin", "https://evil.example"}},
       "",
       403},
  };
  for (const auto& [why, method, fields, body, status] : cases) {
    CAPTURE(why);
    const Response response = asked.ask({.method = method, .fields = fields, .body = body});
    CHECK(code(response.status()) == status);
    if (status == 200) CHECK(response.body() == body);  // the handler receives the whole body
  }

  visitor.get("/rotate");
  CHECK(visitor.get("/token").body() != token);
}

TEST_CASE("a visitor without values has no session: the token is in a signed cookie") {
  for (SessionOptions options : all_kinds()) {
    options.sessions_max = 4;
    App app;
    app.use(sessions(options), csrf());
    app.get("/token", [](From<Session> session) { return session->csrf_token(); });
    app.get("/set", [](From<Session> session) { session->set("cart", 1); });
    app.get("/rotate", [](From<Session> session) { session->rotate(); });
    app.get("/login", [](From<Session> session) {
      session->rotate();
      session->set("user", 7);
    });
    app.get("/logout", [](From<Session> session) { session->destroy(); });
    app.get("/cart", [](From<Session> session) { return std::to_string(session->get<int>("cart").value_or(0)); });
    app.post("/", [] { return "ok"; });
    InProcessApp asked(std::move(app));
    const auto get = [&](const std::string& path, const std::string& cookie) {
      return asked.ask({.path = path, .fields = {{"cookie", cookie}}});
    };
    const auto post = [&](const std::string& cookie, std::string_view token) {
      return code(
          asked.ask({.method = Method::post, .fields = {{"cookie", cookie}, {"x-csrf-token", std::string(token)}}})
              .status());
    };
    const Response page = asked.ask({.path = "/token"});
    const std::string token(page.body());
    const std::string anonymous = cookie_of(page);
    CHECK(anonymous.starts_with("__Host-session-csrf="));
    CHECK(page.header("Cache-Control") == "private");
    CHECK(post(anonymous, token) == 200);
    CHECK(post(anonymous, "x") == 403);
    CHECK(post("__Host-session-csrf=" + token, token) == 403);  // not signed
    CHECK(post("__Host-session=" + anonymous.substr(anonymous.find('=') + 1), token) == 403);
    CHECK(get("/token", anonymous).body() == token);

    const std::string cart = cookie_of(get("/set", ""));
    for (int i = 0; i != 10; ++i) CHECK(asked.ask({.path = "/token"}).status() == Status::ok);
    CHECK(get("/cart", cart).body() == "1");  // the visitors have not taken its place
    const std::string user = cookie_of(get("/login", ""));

    // The token of the visitor is not that of the user, also if the client sends both cookies.
    CHECK(post(user + "; " + anonymous, token) == 403);
    const Response form = get("/token", user);
    CHECK(form.header("Cache-Control") == "private");
    CHECK(form.body() != token);
    const std::string known = form.header("set-cookie") ? cookie_of(form) : user;
    CHECK(post(known, form.body()) == 200);
    CHECK(get("/login", anonymous).headers().lines().find("__Host-session-csrf=; Path=/; Max-Age=0") !=
          std::string_view::npos);
    CHECK(get("/rotate", anonymous).header("set-cookie").value_or("").find("Max-Age=0") != std::string_view::npos);
    CHECK(get("/logout", user + "; " + anonymous).headers().lines().find("__Host-session-csrf=; Path=/; Max-Age=0") !=
          std::string_view::npos);

    // A session that begins without a login keeps the token of forms that are open.
    const Response begun = get("/set", anonymous);
    CHECK(post(cookie_of(begun), token) == 200);
  }
}

TEST_CASE("visitors cannot log users out by beginning sessions") {
  App app;
  app.use(sessions({.sessions_max = 2}));
  app.get("/set", [](From<Session> session) { session->set("cart", 1); });
  app.get("/login", [](From<Session> session) {
    session->rotate();
    session->set("user", 7);
  });
  app.get("/user", [](From<Session> session) { return std::to_string(session->get<int>("user").value_or(0)); });
  InProcessApp asked(std::move(app));
  Visitor first(asked), second(asked), third(asked);
  first.get("/login");
  for (int i = 0; i != 10; ++i) CHECK(Visitor(asked).get("/set").status() == Status::no_content);
  CHECK(first.get("/user").body() == "7");
  CHECK(second.get("/login").status() == Status::no_content);
  const Response refused = third.get("/set");
  CHECK(refused.status() == Status::service_unavailable);
  CHECK(refused.header("Retry-After") == "1");
  CHECK(third.get("/login").status() == Status::service_unavailable);
  CHECK(first.get("/user").body() == "7");
  CHECK(second.get("/user").body() == "7");
}

TEST_SUITE_END();

}  // namespace volt::http
