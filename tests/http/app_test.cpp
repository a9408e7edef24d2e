#include "http/app.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace volt::http {
namespace {

std::string said(const App& app, Method method, std::string_view path) {
  const App::Found found = app.find(method, path);
  if (found.handler == nullptr) return "";
  Request request(message::RequestHead{});
  return std::string((*found.handler->plain())(request).body());
}

}  // namespace

TEST_SUITE_BEGIN("http/app");

TEST_CASE("each route has its handler, and the fallback has the rest") {
  App app;
  app.get("/", [] { return "root"; }).get("/a", [] { return "get a"; }).post("/a", [] { return "post a"; });
  App with_fallback = app;
  with_fallback.fallback([] { return "fallback"; });
  const struct {
    std::string_view why;
    Method method;
    std::string_view path, want, want_with_fallback;
  } cases[] = {
      {"a path", Method::get, "/a", "get a", "get a"},
      {"another method", Method::post, "/a", "post a", "post a"},
      {"9110 9.3.2: HEAD is served by GET", Method::head, "/", "root", "root"},
      {"a method that it lacks", Method::put, "/a", "", "fallback"},
      {"OPTIONS that nobody routed", Method::options, "/a", "", "fallback"},
      {"no such path", Method::get, "/b", "", "fallback"},
      {"9110 9.3.7: the server itself", Method::options, "*", "", ""},
      {"9110 9.3.8: no TRACE by accident", Method::trace, "/a", "", ""},
  };
  for (const auto& [why, method, path, want, want_with_fallback] : cases) {
    CAPTURE(why);
    CHECK(said(app, method, path) == want);
    CHECK(said(with_fallback, method, path) == want_with_fallback);
  }
  CHECK(with_fallback.find(Method::put, "/a").allow == "GET, POST, HEAD, OPTIONS");
  CHECK_THROWS_AS(app.get("/a", [] { return ""; }), std::invalid_argument);
  CHECK(said(app, Method::get, "/a") == "get a");
}

TEST_SUITE_END();
}  // namespace volt::http
