// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "http/route/route_tree.h"
#include "tests/http/route/naive_router.h"

namespace volt::http::route {
namespace {

// A small set of words, so that patterns overlap and paths match them.
class Words {
 public:
  explicit Words(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }

  template <class T, std::size_t kCount>
  const T& one_of(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

  std::string pattern() {
    static const std::string kLiterals[] = {"a", "b", "ab", "abc", "a%2Fb", "%61", "c.d", "%25"};
    std::string pattern;
    const std::size_t segments = 1 + below(3);
    for (std::size_t i = 0; i < segments; ++i) {
      const std::string name = std::string("p") + static_cast<char>('0' + i);
      const bool last = i + 1 == segments;
      const std::size_t kind = below(10);
      if (kind < 4)
        pattern += "/{" + name + "}";
      else if (last && kind == 4)
        pattern += "/{" + name + "...}";
      else if (last && kind < 7)
        pattern += "/";
      else
        pattern += "/" + one_of(kLiterals);
    }
    return pattern;
  }

  std::string path() {
    static const std::string kSegments[] = {"a", "b",  "ab", "abc", "a%2fb", "%61", "%61b", "c.d", "%25", "x",
                                            "a", "%2", "",   "A",   ".",     "b",   "%2e.", "%00", "%",   "a%"};
    std::string path;
    const std::size_t segments = 1 + below(4);
    for (std::size_t i = 0; i < segments; ++i) path += "/" + one_of(kSegments);
    if (below(4) == 0) path += '/';
    return below(50) == 0 ? path.substr(1) : path;
  }

  std::optional<Method> method() {
    static const std::optional<Method> kMethods[] = {Method::get, Method::post, Method::head, Method::options, {}};
    return one_of(kMethods);
  }

  Method asked_method() {
    static const Method kMethods[] = {Method::get, Method::get, Method::head, Method::post, Method::put, Method::trace};
    return one_of(kMethods);
  }

  std::string host() {
    static const std::string kHosts[] = {"", "", "", "a.example", "*.example", "*.a.example"};
    return one_of(kHosts);
  }

  std::string asked_host() {
    static const std::string kHosts[] = {"", "example", "a.example:80", "A.Example", "b.example", "x.a.example", "b"};
    return one_of(kHosts);
  }

 private:
  std::mt19937 random_;
};

NaiveRouter::RouteResult result_of(const RouteTree& tree, Method method, const std::string& host,
                                   const std::string& path) {
  Params params;
  const Found found = tree.find(method, host, path, params);
  NaiveRouter::RouteResult result{.route = found.route, .allow = found.allow, .redirect = found.redirect, .values = {}};
  for (std::size_t i = 0; i < params.count(); ++i) result.values.emplace_back(params.raw(i));
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("http/route/route_tree_property");

TEST_CASE("the tree finds the route that a comparison with each route finds") {
  std::size_t routed = 0, refused = 0, redirected = 0, conflicts = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    Words words(seed);
    const auto slash = static_cast<TrailingSlash>(seed % 3);
    RouteTree tree(slash);
    NaiveRouter naive(slash);
    for (std::size_t i = 1 + words.below(24); i > 0; --i) {
      const auto method = words.method();
      const std::string host = words.host(), pattern = words.pattern();
      CAPTURE(pattern);
      if (naive.conflicts(method, host, pattern)) {
        REQUIRE_THROWS_AS(tree.add(method, host, pattern, ""), std::invalid_argument);
        ++conflicts;
        continue;
      }
      REQUIRE_NOTHROW(tree.add(method, host, pattern, ""));
      naive.add(method, host, pattern);
    }
    for (int i = 0; i < 40; ++i) {
      const Method method = words.asked_method();
      const std::string host = words.asked_host(), path = words.path();
      CAPTURE(host);
      CAPTURE(path);
      const NaiveRouter::RouteResult want = naive.find(method, host, path);
      REQUIRE(result_of(tree, method, host, path) == want);
      routed += want.route.has_value();
      refused += !want.allow.empty();
      redirected += want.redirect;
    }
  }
  // The words are only useful if each result occurs often.
  CHECK(routed > 5000);
  CHECK(refused > 1000);
  CHECK(redirected > 100);
  CHECK(conflicts > 100);
}

TEST_SUITE_END();
}  // namespace volt::http::route
