// App: the routes of a service.
//
//   http::App app;
//   app.get("/", [] { return "Hello, World!\n"; });
//
// Threads: built by one thread before it is served; then shared, unchanged, by all workers.
#pragma once

#include <string>
#include <utility>

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
    routes_.add(method, std::move(path), std::move(handler));
    return *this;
  }

  // For every path and method that has no route: instead of 404 and 405.
  App& fallback(Handler handler) {
    routes_.set_fallback(std::move(handler));
    return *this;
  }

  [[nodiscard]] const route::FixedRoutes& routes() const noexcept { return routes_; }

 private:
  route::FixedRoutes routes_;
};

}  // namespace volt::http
