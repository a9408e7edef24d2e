// App: the routes of a service.
//
//   http::App app;
//   app.get("/", [] { return "Hello, World!\n"; });
//
// Threads: built by one thread before it is served; then shared, unchanged, by all workers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/handler.h"
#include "http/route/fixed_routes.h"

namespace volt::http {

class App {
 public:
  // Each throws std::invalid_argument for a path that does not begin with '/' or is routed twice. GET serves HEAD too.
  App& get(std::string path, Handler handler) { return route(Method::get, std::move(path), std::move(handler)); }
  App& post(std::string path, Handler handler) { return route(Method::post, std::move(path), std::move(handler)); }
  App& put(std::string path, Handler handler) { return route(Method::put, std::move(path), std::move(handler)); }
  App& patch(std::string path, Handler handler) { return route(Method::patch, std::move(path), std::move(handler)); }
  App& del(std::string path, Handler handler) { return route(Method::del, std::move(path), std::move(handler)); }
  App& route(Method method, std::string path, Handler handler) {
    routes_.add(method, std::move(path));
    handlers_.push_back(std::move(handler));
    return *this;
  }

  // For every path and method that has no route: instead of 404 and 405. Not for TRACE, nor for `OPTIONS *`, which the
  // server answers itself.
  App& fallback(Handler handler) {
    fallback_.emplace(std::move(handler));
    return *this;
  }

  struct Found {
    const Handler* handler = nullptr;  // null: none for this path and method
    std::string_view allow;            // the path's methods, as the Allow field lists them; empty: no such path
  };
  // Valid as long as the app, unchanged.
  [[nodiscard]] Found find(Method method, std::string_view path) const {
    const route::FixedRoutes::Found found = routes_.find(method, path);
    if (found.route) return {.handler = &handlers_[*found.route], .allow = found.allow};
    const bool falls_back = fallback_ && path != "*" && method != Method::trace;
    return {.handler = falls_back ? &*fallback_ : nullptr, .allow = found.allow};
  }

 private:
  route::FixedRoutes routes_;
  std::vector<Handler> handlers_;  // by number of their route
  std::optional<Handler> fallback_;
};

}  // namespace volt::http
