#include "http/route/fixed_routes.h"

#include <stdexcept>

namespace volt::http::route {
namespace {

std::string allowed_methods(const std::map<Method, Handler>& handlers) {
  std::string allow;
  const auto append = [&](std::string_view name) { allow += (allow.empty() ? "" : ", ") + std::string(name); };
  for (const auto& [method, handler] : handlers) append(to_string(method));
  if (handlers.contains(Method::get) && !handlers.contains(Method::head)) append("HEAD");
  if (!handlers.contains(Method::options)) append("OPTIONS");
  return allow;
}

}  // namespace

void FixedRoutes::add(Method method, std::string path, Handler handler) {
  if (!path.starts_with('/')) throw std::invalid_argument("route '" + path + "' does not begin with '/'");
  Path& entry = paths_[path];
  const auto [place, added] = entry.handlers.emplace(method, std::move(handler));
  if (!added) throw std::invalid_argument(std::string(to_string(method)) + " " + path + " is routed twice");
  entry.allow = allowed_methods(entry.handlers);
}

FixedRoutes::Found FixedRoutes::find(Method method, std::string_view path) const {
  const Handler* fallback = fallback_ ? &*fallback_ : nullptr;
  const auto entry = paths_.find(path);
  if (entry == paths_.end()) return {.handler = fallback, .allow = {}};
  const auto& handlers = entry->second.handlers;
  auto handler = handlers.find(method);
  if (handler == handlers.end() && method == Method::head) handler = handlers.find(Method::get);
  if (handler != handlers.end()) return {.handler = &handler->second, .allow = entry->second.allow};
  return {.handler = fallback, .allow = entry->second.allow};
}

}  // namespace volt::http::route
