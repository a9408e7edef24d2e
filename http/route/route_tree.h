// RouteTree: from method, host and path to the number of a route.
//
// Of the patterns that match, the most specific one that has the method serves: first by host (its name, "*.name" with
// the longest name, any), then by path, segment by segment from the left (literal, {name}, {name...}). In a pattern, GET
// serves HEAD where HEAD has no route (RFC 9110 section 9.3.2), and a route of any method serves the rest but TRACE and
// CONNECT. If only the method is missing, `allow` has the methods of all patterns that match, with OPTIONS: the server
// answers 405, or OPTIONS itself (sections 15.5.6 and 9.3.7).
//
// Segments are compared decoded (RFC 3986 section 6.2.2.2): "/a%62c" is "/abc", and "%2F" is data of its segment. No
// route matches a path with a dot segment or a NUL, escaped or not, nor "*"; an empty segment matches only inside a
// wildcard, or as the end of a pattern that ends in '/'.
//
// It knows routes by number only, so that it stays apart from handlers and the tasks that they are.
//
// Threads: filled by one, then only read, by any. A look-up does not allocate; its cost is bounded by the size of the
// patterns times the length of the path (see PathTree).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/method.h"
#include "http/route/internal/host_table.h"
#include "http/route/internal/params.h"
#include "http/route/internal/path_tree.h"
#include "http/route/method_set.h"
#include "http/route/trailing_slash.h"

namespace volt::http::route {

struct RouteInfo {
  std::optional<Method> method;  // none: any
  std::string host;              // empty: any
  std::string pattern;
  std::string origin;              // where it was added, for people: "main.cpp:12"
  std::vector<std::string> names;  // of the parameters, as Params has their values
};

struct Found {
  std::optional<std::size_t> route;
  MethodSet allow;                     // if there is no route: what the path's patterns have; empty: no pattern matches
  std::optional<std::size_t> nearest;  // if there is no route: one of another method, of the most specific pattern
  bool redirect = false;               // no pattern matches, but there is a route for slash_redirect_location()
};

class RouteTree {
 public:
  explicit RouteTree(TrailingSlash slash = TrailingSlash::redirect) noexcept : slash_(slash) {}

  // The number of the new route: how many were added before. `method` may be empty: any; `host` too, else it is a name
  // or "*.name". Throws std::invalid_argument for a pattern that parse_pattern() or a host that HostTable refuses, and
  // if a route of the same method (or both of any) and host has a pattern that matches the same paths.
  std::size_t add(std::optional<Method> method, std::string_view host, std::string_view pattern,
                  std::string_view origin);

  // `host` as it came: "Example.com:8080", perhaps empty. `path` without the query. `params` gets views
  // into `path`; none if there is no route.
  [[nodiscard]] Found find(Method method, std::string_view host, std::string_view path, Params& params) const noexcept;

  // By number. Valid until the next add().
  [[nodiscard]] const RouteInfo& info(std::size_t route) const noexcept { return routes_[route]; }
  [[nodiscard]] std::vector<RouteInfo> list() const { return routes_; }

 private:
  using Route = std::uint32_t;

  // The routes of the patterns of one host that match the same paths.
  struct Endpoint {
    MethodSet methods;                             // of `routes`
    std::vector<std::pair<Method, Route>> routes;  // few: searched from the front
    std::optional<Route> any_method;

    [[nodiscard]] std::optional<Route> route_of(std::optional<Method> method) const noexcept;
    [[nodiscard]] std::optional<Route> serving(Method method) const noexcept;
    [[nodiscard]] MethodSet allow() const noexcept;
    [[nodiscard]] Route first() const noexcept { return any_method ? *any_method : routes.front().second; }
  };

  Endpoint& endpoint_of(const RouteInfo& route);
  Found find_exactly(Method method, std::string_view host, std::string_view walked, std::string_view path,
                     Params& params) const noexcept;
  Found find_toggled(Method method, std::string_view host, std::string_view path, Params& params) const noexcept;

  TrailingSlash slash_;
  HostTable hosts_;
  std::vector<PathTree> trees_;  // by number of their host
  std::vector<Endpoint> endpoints_;
  std::vector<RouteInfo> routes_;
};

}  // namespace volt::http::route
