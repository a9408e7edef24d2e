// SPDX-License-Identifier: MIT

#include "http/route/route_tree.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "runtime/base/uninitialized.h"

namespace volt::http::route {
namespace {

// The methods that a route for any method serves. TRACE is excluded because its response would echo the request's
// fields, including secrets such as cookies (RFC 9110 section 9.3.8). CONNECT is excluded because its target is not a
// path on this server (section 9.3.6).
constexpr MethodSet kAnyMethod = [] {
  MethodSet methods;
  for (std::size_t i = 0; i < kMethodNames.size(); ++i) methods.insert(static_cast<Method>(i));
  methods.erase(Method::trace);
  methods.erase(Method::connect);
  return methods;
}();

// Describes a route for error messages: GET a.example/items/{id} (main.cpp:12)
std::string described(const RouteInfo& route) {
  std::string text(route.method ? to_string(*route.method) : "any method");
  text += ' ' + route.host + route.pattern;
  if (!route.origin.empty()) text += " (" + route.origin + ')';
  return text;
}

// A path with its last slash removed, or with a slash appended. The changed path is a copy, because a view of the
// original path cannot have one more byte.
class ToggledPath {
 public:
  explicit ToggledPath(std::string_view path) noexcept {
    if (path.size() < 2 || path.starts_with("//") || path.size() >= bytes_.size()) return;
    std::ranges::copy(path, bytes_.begin());
    bytes_[path.size()] = '/';
    size_ = path.ends_with('/') ? path.size() - 1 : path.size() + 1;
  }

  // Returns the changed path. Empty if there is none: for "/", for a path that begins with "//", and for a path that is
  // too long. The view is valid as long as this object.
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t kBytesMax = 8 * 1024;  // the default limit of a request line

  std::size_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

}  // namespace

std::size_t RouteTree::add(std::optional<Method> method, std::string_view host, std::string_view pattern,
                           std::string_view origin) {
  RouteInfo route{.method = method,
                  .host = std::string(host),
                  .pattern = std::string(pattern),
                  .origin = std::string(origin),
                  .names = {}};
  const Pattern parsed = parse_pattern(pattern);
  if (!parsed.valid()) throw std::invalid_argument(described(route) + ": " + std::string(parsed.error));
  for (const std::string_view name : parsed.names()) route.names.emplace_back(name);

  Endpoint& endpoint = endpoint_of(route);
  if (const auto other = endpoint.route_of(method)) {
    throw std::invalid_argument(described(route) + " matches the same paths as " + described(routes_[*other]));
  }
  const auto number = static_cast<Route>(routes_.size());
  routes_.push_back(std::move(route));
  if (method) {
    endpoint.methods.insert(*method);
    endpoint.routes.emplace_back(*method, number);
  } else {
    endpoint.any_method = number;
  }
  return number;
}

Found RouteTree::find(Method method, std::string_view host, std::string_view path, Params& params) const noexcept {
  params.clear();
  Found found = find_exactly(method, host, path, path, params);
  const bool unmatched = !found.route && found.allow.empty();
  if (unmatched && slash_ != TrailingSlash::strict) found = find_toggled(method, host, path, params);
  return found;
}

// Looks up `walked`, and stores the values of parameters as views into `path`. `path` must equal `walked` or differ
// from it only in a slash at the end.
Found RouteTree::find_exactly(Method method, std::string_view host, std::string_view walked, std::string_view path,
                              Params& params) const noexcept {
  Found found;
  const auto find_in_tree = [&](std::size_t number) {
    if (number >= trees_.size()) return false;
    VOLT_UNINITIALIZED PathWalk walk(trees_[number], walked);
    for (auto index = walk.next(); index != PathTree::kNone; index = walk.next()) {
      found.route = endpoints_[index].serving(method);
      if (found.route) {
        found.allow = {};
        found.nearest.reset();
        walk.params(path, params);
        return true;
      }
      found.allow.insert(endpoints_[index].allow());
      if (!found.nearest) found.nearest = endpoints_[index].first();
    }
    return false;
  };
  hosts_.visit(host, find_in_tree);
  return found;
}

Found RouteTree::find_toggled(Method method, std::string_view host, std::string_view path,
                              Params& params) const noexcept {
  VOLT_UNINITIALIZED const ToggledPath toggled(path);
  if (toggled.view().empty()) return {};
  const Found found = find_exactly(method, host, toggled.view(), path, params);
  if (slash_ == TrailingSlash::ignore) return found;
  params.clear();
  return {.route = std::nullopt, .allow = {}, .nearest = {}, .redirect = found.route.has_value()};
}

RouteTree::Endpoint& RouteTree::endpoint_of(const RouteInfo& route) {
  const std::size_t host = hosts_.add(route.host);
  if (trees_.size() < hosts_.size()) trees_.resize(hosts_.size());
  PathTree::Endpoint& index = trees_[host].endpoint(route.pattern);
  if (index == PathTree::kNone) {
    endpoints_.emplace_back();
    index = static_cast<PathTree::Endpoint>(endpoints_.size() - 1);
  }
  return endpoints_[index];
}

std::optional<RouteTree::Route> RouteTree::Endpoint::route_of(std::optional<Method> method) const noexcept {
  if (!method) return any_method;
  if (!methods.contains(*method)) return std::nullopt;
  return std::ranges::find(routes, *method, &std::pair<Method, Route>::first)->second;
}

std::optional<RouteTree::Route> RouteTree::Endpoint::serving(Method method) const noexcept {
  if (const auto own = route_of(method)) return own;
  if (method == Method::head && methods.contains(Method::get)) return route_of(Method::get);
  return kAnyMethod.contains(method) ? any_method : std::nullopt;
}

MethodSet RouteTree::Endpoint::allow() const noexcept {
  MethodSet allow = methods;
  if (any_method) allow.insert(kAnyMethod);
  if (allow.contains(Method::get)) allow.insert(Method::head);
  allow.insert(Method::options);
  return allow;
}

}  // namespace volt::http::route
