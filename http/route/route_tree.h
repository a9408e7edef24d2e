// SPDX-License-Identifier: MIT

// RouteTree: maps method, host and path to the number of a route.
//
// Among the routes that match host and path and have the method, the most specific one is chosen. The host decides
// first: the exact name, then "*.name" with the longest name, then any host. Then the path decides, segment by segment
// from the left: literal, {name}, {name...}. For one pattern, a GET route serves HEAD if there is no HEAD route (RFC
// 9110 section 9.3.2). A route for any method serves the remaining methods, except TRACE and CONNECT.
//
// If patterns match but none has the method, `allow` contains OPTIONS and the methods of all matching patterns: the
// server responds with 405, or handles OPTIONS itself (sections 15.5.6 and 9.3.7).
//
// Segments are compared decoded (RFC 3986 section 6.2.2.2): "/a%62c" equals "/abc", and "%2F" is data of its segment.
// No route matches a path with a dot segment or a NUL, escaped or not, nor "*". An empty segment matches only inside a
// wildcard, or as the end of a pattern that ends in '/'.
//
// The tree stores routes by number only, so that it does not depend on handlers and tasks.
//
// Threads: filled by one thread, then only read, by any number of threads. A look-up does not allocate; its cost is
// bounded by the size of the patterns times the length of the path (see PathTree).
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
#include "http/route/internal/path_tree.h"
#include "http/route/method_set.h"
#include "http/route/route_info.h"
#include "http/route/trailing_slash.h"

namespace volt::http::route {

struct Found {
  std::optional<std::size_t> route;
  MethodSet allow;                     // without a route: the methods of the matching patterns; empty if none matches
  std::optional<std::size_t> nearest;  // without a route: a route with another method, of the most specific pattern
  bool redirect = false;               // no pattern matches, but slash_redirect_location() has a route
};

class RouteTree {
 public:
  explicit RouteTree(TrailingSlash slash = TrailingSlash::redirect) noexcept : slash_(slash) {}

  // Adds a route and returns its number, which is the number of routes added before. Without a `method` the route
  // serves any method. `host` is empty (any host), a name, or "*.name". Throws std::invalid_argument if parse_pattern()
  // rejects the pattern or HostTable rejects the host. Also throws if an earlier route conflicts: it has an equal host,
  // an equal method (or neither route has a method), and a pattern that matches identical paths.
  std::size_t add(std::optional<Method> method, std::string_view host, std::string_view pattern,
                  std::string_view origin);

  // Looks up a request. `host` is the host as received, such as "Example.com:8080", or empty. `path` excludes the
  // query. `params` receives views into `path`; it becomes empty if there is no route.
  [[nodiscard]] Found find(Method method, std::string_view host, std::string_view path, Params& params) const noexcept;

  // Returns the route of that number. The reference is valid until the next add().
  [[nodiscard]] const RouteInfo& info(std::size_t route) const noexcept { return routes_[route]; }
  [[nodiscard]] std::vector<RouteInfo> list() const { return routes_; }

 private:
  using Route = std::uint32_t;

  // The routes of one host whose patterns match identical paths.
  struct Endpoint {
    MethodSet methods;                             // the methods of `routes`
    std::vector<std::pair<Method, Route>> routes;  // few entries: a linear search is used
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
  std::vector<PathTree> trees_;  // indexed by the number of the host
  std::vector<Endpoint> endpoints_;
  std::vector<RouteInfo> routes_;
};

}  // namespace volt::http::route
