// SPDX-License-Identifier: MIT

#include "http/route/route_tree.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace volt::http::route {
namespace {

struct Added {
  std::optional<Method> method;
  std::string host, pattern;
};

RouteTree tree_of(const std::vector<Added>& routes, TrailingSlash slash = TrailingSlash::strict) {
  RouteTree tree(slash);
  for (const auto& [method, host, pattern] : routes) tree.add(method, host, pattern, "");
  return tree;
}

// Returns "2(a,b)", the route's number and the values of its parameters; or "redirect"; or the allowed methods; or "".
std::string lookup(const RouteTree& tree, Method method, const std::string& host, const std::string& path) {
  Params params;
  const Found found = tree.find(method, host, path, params);
  if (found.redirect) return "redirect";
  if (!found.route) return to_allow_field(found.allow);
  std::string text = std::to_string(*found.route);
  for (std::size_t i = 0; i < params.count(); ++i) text += (i == 0 ? '(' : ',') + std::string(params.raw(i));
  return params.count() == 0 ? text : text + ')';
}

std::string refusal(RouteTree& tree, std::optional<Method> method, const std::string& host,
                    const std::string& pattern) {
  try {
    tree.add(method, host, pattern, "b.cpp:2");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

constexpr std::optional<Method> kAny;

}  // namespace

TEST_SUITE_BEGIN("http/route/route_tree");

TEST_CASE("a look-up finds the method's route, or the methods that the path allows") {
  const RouteTree tree = tree_of({{Method::get, "", "/"},
                                  {Method::get, "", "/a"},
                                  {Method::post, "", "/a"},
                                  {Method::get, "", "/h"},
                                  {Method::head, "", "/h"},
                                  {Method::options, "", "/o"},
                                  {kAny, "", "/any"},
                                  {Method::get, "", "/some"},
                                  {kAny, "", "/some"},
                                  {Method::get, "", "/items/{id}"},
                                  {Method::put, "", "/items/{name}"}});
  const struct {
    std::string why;
    Method method;
    std::string path, want;
  } cases[] = {
      {"the root", Method::get, "/", "0"},
      {"a path", Method::get, "/a", "1"},
      {"another method", Method::post, "/a", "2"},
      {"9110 9.3.2: HEAD is served by GET", Method::head, "/a", "1"},
      {"a HEAD route takes precedence", Method::head, "/h", "4"},
      {"an OPTIONS route takes precedence", Method::options, "/o", "5"},
      {"HEAD without GET", Method::head, "/o", "OPTIONS"},
      {"9110 15.5.6: a method without a route", Method::put, "/a", "GET, HEAD, POST, OPTIONS"},
      {"9110 9.3.7: OPTIONS without a route", Method::options, "/a", "GET, HEAD, POST, OPTIONS"},
      {"a route of any method", Method::patch, "/any", "6"},
      {"a route of any method serves OPTIONS", Method::options, "/any", "6"},
      {"a route of one method takes precedence over any", Method::get, "/some", "7"},
      {"GET serves HEAD before a route of any method", Method::head, "/some", "7"},
      {"a route of any method serves the other methods", Method::del, "/some", "8"},
      {"parameters of one place, by two names", Method::get, "/items/7", "9(7)"},
      {"parameters of one place, the other name", Method::put, "/items/7", "10(7)"},
      {"no such path", Method::get, "/b", ""},
      {"a path matches as a whole", Method::get, "/a/", ""},
      {"paths are case-sensitive", Method::get, "/A", ""},
      {"9110 9.3.7: OPTIONS of the server itself", Method::options, "*", ""},
      {"9110 9.3.8: TRACE is not served by any method", Method::trace, "/a", "GET, HEAD, POST, OPTIONS"},
  };
  for (const auto& [why, method, path, want] : cases) {
    CAPTURE(why);
    CHECK(lookup(tree, method, "", path) == want);
  }
  Params params;
  const MethodSet allow = tree.find(Method::trace, "", "/any", params).allow;
  CHECK(allow.contains(Method::patch));
  CHECK(allow.contains(Method::options));
  CHECK(!allow.contains(Method::trace));
  CHECK(!allow.contains(Method::connect));
}

TEST_CASE("a less specific pattern serves a method that the more specific one lacks") {
  const RouteTree tree = tree_of({{Method::get, "", "/a/b"},
                                  {Method::post, "", "/a/{p}"},
                                  {Method::put, "", "/{q}/b"},
                                  {Method::get, "", "/{rest...}"},
                                  {Method::head, "", "/a/{rest...}"}});
  CHECK(lookup(tree, Method::get, "", "/a/b") == "0");
  CHECK(lookup(tree, Method::head, "", "/a/b") == "0");
  CHECK(lookup(tree, Method::post, "", "/a/b") == "1(b)");
  CHECK(lookup(tree, Method::put, "", "/a/b") == "2(a)");
  CHECK(lookup(tree, Method::head, "", "/a/c") == "4(c)");
  CHECK(lookup(tree, Method::get, "", "/a/c") == "3(a/c)");
  CHECK(lookup(tree, Method::del, "", "/a/b") == "GET, HEAD, POST, PUT, OPTIONS");
  CHECK(lookup(tree, Method::del, "", "/x/y") == "GET, HEAD, OPTIONS");
}

TEST_CASE("of two patterns the one that is more specific further left is chosen, whatever the order of adding") {
  // Each pair of patterns, the row's and the column's, matches "/a/b". The patterns differ in the kinds of their
  // segments.
  const std::vector<std::string> by_precedence = {"/a/b",     "/a/{p}",      "/a/{w...}", "/{p}/b",
                                                  "/{p}/{q}", "/{p}/{w...}", "/{w...}"};
  for (std::size_t i = 0; i < by_precedence.size(); ++i) {
    for (std::size_t j = 0; j < by_precedence.size(); ++j) {
      if (i == j) continue;
      CAPTURE(by_precedence[i]);
      CAPTURE(by_precedence[j]);
      const RouteTree tree = tree_of({{Method::get, "", by_precedence[i]}, {Method::get, "", by_precedence[j]}});
      Params params;
      CHECK(tree.find(Method::get, "", "/a/b", params).route == (i < j ? 0 : 1));
    }
  }
}

TEST_CASE("a route bound to the host takes precedence over routes of all hosts, which serve the remaining requests") {
  const RouteTree tree = tree_of({{Method::get, "", "/a"},
                                  {Method::get, "api.example.com", "/{p}"},
                                  {Method::get, "*.example.com", "/a"},
                                  {Method::post, "", "/a"},
                                  {Method::get, "", "/b"},
                                  {Method::put, "api.example.com", "/{p}"}});
  const struct {
    std::string why;
    Method method;
    std::string host, path, want;
  } cases[] = {
      {"a host takes precedence over a more specific path", Method::get, "api.example.com", "/a", "1(a)"},
      {"a wildcard takes precedence over all hosts", Method::get, "www.example.com", "/a", "2"},
      {"an unknown host", Method::get, "example.org", "/a", "0"},
      {"no host at all", Method::get, "", "/a", "0"},
      {"the host as received", Method::get, "API.example.com.:8080", "/a", "1(a)"},
      {"a path that the host lacks", Method::get, "www.example.com", "/b", "4"},
      {"a method that the host lacks", Method::post, "api.example.com", "/a", "3"},
      {"the methods of all matching hosts", Method::del, "api.example.com", "/a", "GET, HEAD, POST, PUT, OPTIONS"},
      {"the methods of fewer matching hosts", Method::del, "www.example.com", "/a", "GET, HEAD, POST, OPTIONS"},
      {"no methods of other hosts", Method::put, "www.example.com", "/a", "GET, HEAD, POST, OPTIONS"},
      {"a path that no host has", Method::get, "www.example.com", "/c", ""},
  };
  for (const auto& [why, method, host, path, want] : cases) {
    CAPTURE(why);
    CHECK(lookup(tree, method, host, path) == want);
  }
}

TEST_CASE("a missing or additional slash at the end means not found, a redirect, or an equal route") {
  const std::vector<Added> routes = {{Method::get, "", "/a"},           {Method::get, "", "/b/"},
                                     {Method::get, "", "/c"},           {Method::get, "", "/c/"},
                                     {Method::get, "", "/d/{p}"},       {Method::get, "", "/e/{p}/"},
                                     {Method::get, "", "/f/{rest...}"}, {Method::post, "", "/g"},
                                     {Method::get, "", "/g/"},          {Method::get, "h.example", "/h"}};
  const RouteTree strict = tree_of(routes, TrailingSlash::strict);
  const RouteTree redirect = tree_of(routes, TrailingSlash::redirect);
  const RouteTree ignore = tree_of(routes, TrailingSlash::ignore);
  const struct {
    std::string why;
    Method method;
    std::string path, strict, redirect, ignore;
  } cases[] = {
      {"an additional slash", Method::get, "/a/", "", "redirect", "0"},
      {"a missing slash", Method::get, "/b", "", "redirect", "1"},
      {"both paths have routes, without slash", Method::get, "/c", "2", "2", "2"},
      {"both paths have routes, with slash", Method::get, "/c/", "3", "3", "3"},
      {"an additional slash after a parameter", Method::get, "/d/1/", "", "redirect", "4(1)"},
      {"a missing slash after a parameter", Method::get, "/e/1", "", "redirect", "5(1)"},
      {"an empty rest", Method::get, "/f", "", "redirect", "6()"},
      {"a wildcard value with a slash", Method::get, "/f/x/", "6(x/)", "6(x/)", "6(x/)"},
      {"HEAD as GET", Method::head, "/a/", "", "redirect", "0"},
      {"a path that has the slash, but not the method", Method::post, "/g/", "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS",
       "GET, HEAD, OPTIONS"},
      {"no route to redirect to", Method::post, "/a/", "", "", "GET, HEAD, OPTIONS"},
      {"two additional slashes", Method::get, "/a//", "", "", ""},
      {"an escaped slash is not a separator", Method::get, "/a%2F", "", "", ""},
      {"another host's path", Method::get, "/h/", "", "", ""},
      {"a path without a match", Method::get, "/x/", "", "", ""},
      {"the root", Method::get, "/", "", "", ""},
      {"no path", Method::get, "", "", "", ""},
  };
  for (const auto& [why, method, path, want_strict, want_redirect, want_ignore] : cases) {
    CAPTURE(why);
    CHECK(lookup(strict, method, "", path) == want_strict);
    CHECK(lookup(redirect, method, "", path) == want_redirect);
    CHECK(lookup(ignore, method, "", path) == want_ignore);
  }
  CHECK(lookup(redirect, Method::get, "h.example", "/h/") == "redirect");
  CHECK(lookup(RouteTree{}, Method::get, "", "/a").empty());
}

TEST_CASE("a redirect never leads to another host, and long paths are not copied") {
  RouteTree tree = tree_of({{Method::get, "", "/"}, {Method::get, "", "/{p}/"}}, TrailingSlash::redirect);
  CHECK(lookup(tree, Method::get, "", "//").empty());
  CHECK(lookup(tree, Method::get, "", "//evil.example").empty());
  CHECK(lookup(tree, Method::get, "", "/" + std::string(8190, 'x')) == "redirect");
  CHECK(lookup(tree, Method::get, "", "/" + std::string(8191, 'x')).empty());
  CHECK(lookup(tree, Method::get, "", "/" + std::string(100'000, 'x')).empty());
  CHECK(lookup(tree, Method::get, "", "/" + std::string(100'000, 'x') + "/").starts_with("1("));
}

TEST_CASE("a route that matches the paths of another one is refused, and both are named") {
  RouteTree tree;
  tree.add(Method::get, "", "/a/{x}", "a.cpp:1");
  tree.add(kAny, "", "/b/{x...}", "a.cpp:2");
  tree.add(Method::get, "api.example", "/%61", "a.cpp:3");
  CHECK(refusal(tree, Method::get, "", "/a/{y}") ==
        "GET /a/{y} (b.cpp:2) matches the same paths as GET /a/{x} (a.cpp:1)");
  CHECK(refusal(tree, kAny, "", "/b/{y...}") ==
        "any method /b/{y...} (b.cpp:2) matches the same paths as any method /b/{x...} (a.cpp:2)");
  CHECK(refusal(tree, Method::get, "API.example", "/a") ==
        "GET API.example/a (b.cpp:2) matches the same paths as GET api.example/%61 (a.cpp:3)");
  const struct {
    std::string why;
    std::optional<Method> method;
    std::string host, pattern;
  } cases[] = {
      {"another method", Method::post, "", "/a/{y}"},       {"any method beside one", kAny, "", "/a/{y}"},
      {"one beside any", Method::get, "", "/b/{y...}"},     {"HEAD beside GET", Method::head, "", "/a/{y}"},
      {"another host", Method::get, "b.example", "/a/{y}"}, {"another kind", Method::get, "", "/a/{y...}"},
      {"a slash at the end", Method::get, "", "/a/{y}/"},   {"a literal", Method::get, "", "/a/x"},
  };
  for (const auto& [why, method, host, pattern] : cases) {
    CAPTURE(why);
    CHECK(refusal(tree, method, host, pattern).empty());
    CHECK(!refusal(tree, method, host, pattern).empty());
  }
}

TEST_CASE("a refused route changes nothing") {
  RouteTree tree(TrailingSlash::strict);
  CHECK(tree.add(Method::get, "", "/a", "a.cpp:1") == 0);
  CHECK(refusal(tree, Method::get, "", "/a").find("same paths as") != std::string::npos);
  CHECK(refusal(tree, Method::get, "", "a") == "GET a (b.cpp:2): a pattern must begin with '/'");
  CHECK(refusal(tree, Method::get, "", "*").find("begin with '/'") != std::string::npos);
  CHECK(refusal(tree, Method::get, "a:80", "/").find("invalid host") != std::string::npos);
  CHECK(lookup(tree, Method::get, "", "/a") == "0");
  CHECK(lookup(tree, Method::get, "a", "/a") == "0");
  CHECK(tree.add(Method::put, "", "/a", "") == 1);
  CHECK(tree.list().size() == 2);
}

TEST_CASE("routes are listed in the order of adding") {
  RouteTree tree;
  tree.add(Method::get, "", "/a/{id}/{rest...}", "main.cpp:12");
  tree.add(kAny, "*.Example.com", "/", "main.cpp:13");
  const std::vector<RouteInfo> list = tree.list();
  REQUIRE(list.size() == 2);
  CHECK(list[0].method == Method::get);
  CHECK(list[0].pattern == "/a/{id}/{rest...}");
  CHECK(list[0].origin == "main.cpp:12");
  CHECK(list[0].names == std::vector<std::string>{"id", "rest"});
  CHECK(list[0].host.empty());
  CHECK(!list[1].method);
  CHECK(list[1].host == "*.Example.com");
  CHECK(tree.info(1).origin == "main.cpp:13");
}

TEST_SUITE_END();
}  // namespace volt::http::route
