// SPDX-License-Identifier: MIT

#include "http/testing/browser.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/html/form.h"
#include "http/http.h"
#include "http/middleware/session.h"
#include "http/testing/test_client.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

TestClientOptions on_engine_of_test() { return {.io = test_options().io}; }

std::string site_fields(const Request& request) {
  return std::string(request.header("origin").value_or("none")) + " " +
         std::string(request.header("sec-fetch-site").value_or("none"));
}

// A service with a login and forms.
App notes_app() {
  App app;
  app.use(sessions({.keys = CookieKeys({"0123456789abcdef0123456789abcdef"})}), csrf());
  app.post("/login", [](From<Session> session) { session->set("user", "ann"); });
  app.get("/form", [](CsrfField field) { return page(field); });
  app.get("/plain", [] { return "no form"; });
  app.post("/notes", [](From<Session> session) {
    return session->get<std::string>("user") ? Response(Status::created) : Response(Status::unauthorized);
  });
  app.get("/fields", site_fields);
  app.post("/fields", site_fields);
  app.get("/set", [] { return Response().add_header("Set-Cookie", "a=1"); });
  app.get("/bad", [] { return Response().add_header("Set-Cookie", "__Host-a=1"); });
  app.ws("/echo", [](WebSocket& socket) -> Task<> { co_await socket.send_text("hello"); });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/browser");

TEST_CASE("a browser logs in, then posts") {
  TestClient client(notes_app(), on_engine_of_test());
  TestBrowser ann = client.browser();
  CHECK(ann.post("/login").send().status() == 204);
  CHECK(ann.post("/notes").form({{"text", "milk"}}).send().status() == 201);
  CHECK(ann.cookies().find("__Host-session"));
  CHECK(client.browser().post("/notes").send().status() == 401);
  CHECK(client.post("/notes").same_origin().send().status() == 401);
  ann.cookies().clear();
  CHECK(ann.post("/notes").send().status() == 401);
}

TEST_CASE("requests of other sites and of none are refused by csrf(), those with the token of a form are not") {
  TestClient client(notes_app(), on_engine_of_test());
  TestBrowser old = client.browser({.fetch_metadata = false});
  CHECK(old.post("/login").send().status() == 403);
  const TestResponse page = old.get("/form").send();
  CHECK(old.post("/login").csrf_token(page).send().status() == 204);
  CHECK(old.post("/notes").cross_site().send().status() == 403);
  CHECK(old.post("/notes").cross_site().csrf_token(old.get("/form").send()).send().status() == 403);
  CHECK(old.post("/notes").same_origin().send().status() == 201);
  CHECK_THROWS_WITH_AS(old.post("/notes").csrf_token(old.get("/plain").send()),
                       "the page has no form with a field called csrf_token", TestFailure);
}

TEST_CASE("the fields of a browser name the site where a request begins") {
  TestClient client(notes_app(), on_engine_of_test());
  CHECK(client.get("/fields").same_origin().send().body() == "none same-origin");
  CHECK(client.post("/fields").same_origin().send().body() == "http://test same-origin");
  CHECK(client.post("/fields")
            .same_origin()
            .header("Host", "shop.example")
            .header("X-Forwarded-Proto", "https")
            .send()
            .body() == "https://shop.example same-origin");
  CHECK(client.post("/fields").same_origin().header("Origin", "null").header("Sec-Fetch-Site", "none").send().body() ==
        "null none");
  CHECK(client.post("/fields").cross_site().send().status() == 403);
  CHECK(client.get("/fields").cross_site().send().body() == "none cross-site");
}

TEST_CASE("a WebSocket of a browser has its cookies and its origin") {
  TestClient client(notes_app(), on_engine_of_test());
  CHECK(client.browser().websocket("/echo").receive().payload == "hello");
}

TEST_CASE("the cookies of a client can be read, and one that browsers ignore fails the request") {
  TestClient client(notes_app(), on_engine_of_test());
  CHECK_THROWS_AS(static_cast<void>(client.cookies()), std::logic_error);
  client.keep_cookies();
  CHECK(client.get("/set").send().status() == 200);
  CHECK(client.cookies().find("a") == "1");
  client.keep_cookies();
  CHECK(client.cookies().find("a") == "1");
  CHECK_THROWS_WITH_AS(static_cast<void>(client.get("/bad").send()),
                       "GET /bad: browsers ignore the cookie \"__Host-a=1\": its name requires Secure", TestFailure);
}

}  // namespace volt::http
