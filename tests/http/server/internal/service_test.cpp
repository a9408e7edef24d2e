// SPDX-License-Identifier: MIT

#include "http/server/internal/service.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "http/server/internal/respond.h"
#include "http/web/extract.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt::http::server {
namespace {

std::string said(const Service& service, Method method, std::string_view path) {
  Request request(message::RequestHead{.method = method, .target = path, .path = path, .host = "a"});
  return std::string(respond(service.find(request), request).body());
}

struct User {
  std::string name;
};

Task<Response> let_through(Request& request, Next next) { co_return co_await next(request); }

// Writes its name before and after the inner handlers.
Middleware named(std::string name) {
  return Middleware([name](Request& request, Next next) -> Task<Response> {
    Response response = co_await next(request);
    response.header("Way", name + " " + std::string(response.header("Way").value_or("")));
    co_return response;
  });
}

std::string refusal(App app) {
  try {
    const Service service(std::move(app).release());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/service");

TEST_CASE("each route has its handler, and the fallback has the rest") {
  const auto sample = [] {
    App app;
    app.get("/", [] { return "root"; });
    app.get("/a", [] { return "get a"; });
    app.post("/a", [] { return "post a"; });
    return app;
  };
  const Service service(sample().release());
  App with_fallback = sample();
  with_fallback.fallback([] { return "fallback"; });
  const Service falling_back(std::move(with_fallback).release());
  const std::string not_found = R"({"title":"Not Found","status":404})";
  const std::string not_allowed = R"({"title":"Method Not Allowed","status":405})";
  const struct {
    std::string_view why;
    Method method;
    std::string_view path;
    std::string want, want_with_fallback;
  } cases[] = {
      {"a path", Method::get, "/a", "get a", "get a"},
      {"another method", Method::post, "/a", "post a", "post a"},
      {"9110 9.3.2: HEAD is served by GET", Method::head, "/", "root", "root"},
      {"a method that it lacks", Method::put, "/a", not_allowed, not_allowed},
      {"OPTIONS without a route", Method::options, "/a", "", ""},
      {"a slash too many", Method::get, "/a/", "", ""},
      {"OPTIONS of no such path", Method::options, "/b", not_found, "fallback"},
      {"no such path", Method::get, "/b", not_found, "fallback"},
      {"9110 9.3.7: the server itself", Method::options, "*", "", ""},
      {"9110 9.3.8: no TRACE by accident", Method::trace, "/a", not_allowed, not_allowed},
      {"TRACE of a path that only the fallback knows", Method::trace, "/b", not_found, not_allowed},
  };
  for (const auto& [why, method, path, want, want_with_fallback] : cases) {
    CAPTURE(why);
    CHECK(said(service, method, path) == want);
    CHECK(said(falling_back, method, path) == want_with_fallback);
  }
}

TEST_CASE("middleware is around the routes of its group, outermost first, and around their 404 and 405") {
  App app;
  app.use(named("app"));
  auto api = app.group("/api");
  auto inner = api.group("/inner");
  api.get("/a", [] { return "a"; });
  api.use(named("first"), named("second"));  // added after a route, and still around it
  inner.get("/b", [] { return "b"; });
  inner.get("/throws", []() -> std::string { throw std::logic_error("decided by the test"); });
  app.get("/c", [] { return "c"; });
  const Service service(std::move(app).release());
  const struct {
    std::string_view why;
    Method method;
    std::string_view path, way;
    int status;
  } cases[] = {
      {"the app's own", Method::get, "/c", "app ", 200},
      {"a group's", Method::get, "/api/a", "app first second ", 200},
      {"a group in a group", Method::get, "/api/inner/b", "app first second ", 200},
      {"an exception has become a response", Method::get, "/api/inner/throws", "app first second ", 500},
      {"another method of a path", Method::put, "/api/a", "app first second ", 405},
      {"no such path", Method::get, "/api/none", "app ", 404},
  };
  Runtime runtime(test_options());
  for (const auto& [why, method, path, way, status] : cases) {
    CAPTURE(why);
    const auto ask = [&]() -> Task<Response> {
      Request request(message::RequestHead{.method = method, .target = path, .path = path, .host = "a"});
      co_return co_await respond_later(service.find(request), request);
    };
    const Response response = runtime.block_on(ask);
    CHECK(code(response.status()) == status);
    CHECK(response.header("Way").value_or("") == way);
  }
}

TEST_CASE("a requirement that is not met is reported by name before the app serves") {
  const struct {
    std::string_view why;
    std::function<void(App&)> build;
    std::string_view names[2];
  } cases[] = {
      {"two routes for the same requests",
       [](App& app) {
         app.get("/a/{x}", [] { return ""; });
         app.get("/a/{y}", [] { return ""; });
       },
       {"GET /a/{x}", "service_test.cpp:"}},
      {"a state that is missing", [](App& app) { app.get("/", [](State<User>) { return ""; }); }, {"User", "state()"}},
      {"a value that no middleware provides",
       [](App& app) { app.get("/", [](From<User>) { return ""; }); },
       {"User", "provide"}},
      {"a value that the middleware around it does not provide",
       [](App& app) {
         app.use(named("a"), provide<int>(let_through));
         app.get("/", [](From<User>) { return ""; });
         app.group("/b").use(let_through);
       },
       {"GET /", "User"}},
      {"a parameter whose name is not in the pattern",
       [](App& app) { app.get("/{a}", [](Path<int, "b">) { return ""; }); },
       {"requires b", "pattern"}},
      {"a state of the fallback",
       [](App& app) { app.fallback([](State<User>) { return ""; }); },
       {"the fallback", "state()"}},
      {"a value that only a group's middleware provides, in the fallback",
       [](App& app) {
         app.group("/a").use(provide<User>(let_through));
         app.use(named("a"));
         app.fallback([](From<User>) { return ""; });
       },
       {"the fallback requires", "provide"}},
      {"a parameter of the fallback, which has no pattern",
       [](App& app) { app.fallback([](Path<int, "b">) { return ""; }); },
       {"the fallback requires b", "pattern"}},
  };
  for (const auto& [why, build, names] : cases) {
    CAPTURE(why);
    App app;
    build(app);
    const std::string message = refusal(std::move(app));
    CAPTURE(message);
    for (const std::string_view name : names) CHECK(message.find(name) != std::string::npos);
  }
}

TEST_CASE("a pattern that is composed at run time is checked before the app serves") {
  App app;
  for (const std::string prefix : {"/a", "/b"}) {
    app.get(runtime_pattern(prefix + "/{id}"), [prefix](Path<int> id) { return prefix + std::to_string(*id); });
  }
  const Service service(std::move(app).release());
  CHECK(said(service, Method::get, "/a/1") == "/a1");
  CHECK(said(service, Method::get, "/b/2") == "/b2");
  App wrong;
  wrong.get(runtime_pattern("/a/{id"), [] { return ""; });
  CHECK(refusal(std::move(wrong)).contains("GET /a/{id (service_test.cpp:"));
}

TEST_CASE("a handler that takes more path parameters than there are is reported before the app serves") {
  const auto show = [](Path<int> id) { return std::to_string(*id); };
  const struct {
    std::string_view why;
    std::function<void(App&)> build;
    std::string_view name;
  } cases[] = {
      {"a pattern of run time", [&](App& app) { app.get(runtime_pattern("/a"), show); }, "GET /a (service_test.cpp:"},
      {"a handler whose type is erased", [&](App& app) { app.get("/a", Handler(show)); }, "GET /a (service_test.cpp:"},
      {"the fallback", [&](App& app) { app.fallback(show); }, "the fallback requires a path parameter"},
  };
  for (const auto& [why, build, name] : cases) {
    CAPTURE(why);
    App app;
    build(app);
    CHECK(refusal(std::move(app)).contains(name));
  }
}

TEST_CASE("a value that a plain middleware puts is available when it runs") {
  App app;
  app.group("/a").use(let_through).get("/{id}", [](From<User> user, Path<int>) { return user->name; });
  CHECK(refusal(std::move(app)).empty());
}

TEST_CASE("an app that meets all requirements is accepted") {
  App app;
  app.state(User{"state"});
  app.use(provide<User>(let_through));
  app.group("/{b}").get("/{a}", [](State<User>, From<User>, Path<int>, Path<int, "b">) { return ""; });
  CHECK(refusal(std::move(app)).empty());
}

TEST_SUITE_END();
}  // namespace volt::http::server
