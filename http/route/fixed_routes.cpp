#include "http/route/fixed_routes.h"

#include <stdexcept>

namespace volt::http::route {
namespace {

std::string allowed_methods(const std::map<Method, std::size_t>& routes) {
  std::string allow;
  const auto append = [&](std::string_view name) { allow += (allow.empty() ? "" : ", ") + std::string(name); };
  for (const auto& [method, route] : routes) append(to_string(method));
  if (routes.contains(Method::get) && !routes.contains(Method::head)) append("HEAD");
  if (!routes.contains(Method::options)) append("OPTIONS");
  return allow;
}

}  // namespace

std::size_t FixedRoutes::add(Method method, std::string path) {
  if (!path.starts_with('/')) throw std::invalid_argument("route '" + path + "' does not begin with '/'");
  Path& entry = paths_[path];
  const auto [place, added] = entry.routes.emplace(method, count_);
  if (!added) throw std::invalid_argument(std::string(to_string(method)) + " " + path + " is routed twice");
  entry.allow = allowed_methods(entry.routes);
  return count_++;
}

FixedRoutes::Found FixedRoutes::find(Method method, std::string_view path) const {
  const auto entry = paths_.find(path);
  if (entry == paths_.end()) return {};
  const auto& routes = entry->second.routes;
  auto route = routes.find(method);
  if (route == routes.end() && method == Method::head) route = routes.find(Method::get);
  if (route == routes.end()) return {.route = std::nullopt, .allow = entry->second.allow};
  return {.route = route->second, .allow = entry->second.allow};
}

}  // namespace volt::http::route
