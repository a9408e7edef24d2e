#include "http/route/fixed_routes.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace volt::http::route {
TEST_SUITE_BEGIN("http/route/fixed_routes");

TEST_CASE("a path and a method find their handler, or what the path allows") {
  FixedRoutes routes;
  CHECK(routes.add(Method::get, "/") == 0);
  CHECK(routes.add(Method::get, "/a") == 1);
  CHECK(routes.add(Method::post, "/a") == 2);
  CHECK(routes.add(Method::get, "/h") == 3);
  CHECK(routes.add(Method::head, "/h") == 4);
  CHECK(routes.add(Method::options, "/o") == 5);
  constexpr int kNone = -1;
  const struct {
    std::string_view why;
    Method method;
    std::string_view path;
    int want;
    std::string_view allow;
  } cases[] = {
      {"the root", Method::get, "/", 0, "GET, HEAD, OPTIONS"},
      {"a path", Method::get, "/a", 1, "GET, POST, HEAD, OPTIONS"},
      {"another method", Method::post, "/a", 2, "GET, POST, HEAD, OPTIONS"},
      {"9110 9.3.2: HEAD is served by GET", Method::head, "/a", 1, "GET, POST, HEAD, OPTIONS"},
      {"its own HEAD wins", Method::head, "/h", 4, "GET, HEAD, OPTIONS"},
      {"its own OPTIONS", Method::options, "/o", 5, "OPTIONS"},
      {"HEAD without GET", Method::head, "/o", kNone, "OPTIONS"},
      {"a method that it lacks", Method::put, "/a", kNone, "GET, POST, HEAD, OPTIONS"},
      {"OPTIONS that nobody routed", Method::options, "/a", kNone, "GET, POST, HEAD, OPTIONS"},
      {"no such path", Method::get, "/b", kNone, ""},
      {"paths are whole", Method::get, "/a/", kNone, ""},
      {"and case-sensitive", Method::get, "/A", kNone, ""},
      {"and not decoded", Method::get, "/%61", kNone, ""},
      {"9110 9.3.7: the server itself", Method::options, "*", kNone, ""},
      {"9110 9.3.8: no TRACE by accident", Method::trace, "/a", kNone, "GET, POST, HEAD, OPTIONS"},
  };
  for (const auto& [why, method, path, want, allow] : cases) {
    CAPTURE(why);
    const FixedRoutes::Found found = routes.find(method, path);
    CHECK((found.route ? static_cast<int>(*found.route) : kNone) == want);
    CHECK(found.allow == allow);
  }
}

TEST_CASE("a route that cannot be meant is refused when it is added") {
  FixedRoutes routes;
  routes.add(Method::get, "/a");
  CHECK_THROWS_AS(routes.add(Method::get, "/a"), std::invalid_argument);
  CHECK_THROWS_AS(routes.add(Method::get, "a"), std::invalid_argument);
  CHECK_THROWS_AS(routes.add(Method::get, ""), std::invalid_argument);
  CHECK_THROWS_AS(routes.add(Method::get, "*"), std::invalid_argument);
  CHECK(routes.find(Method::get, "/a").route == 0);
  CHECK(routes.add(Method::put, "/a") == 1);
}

TEST_SUITE_END();
}  // namespace volt::http::route
