// Service: an app as the server looks things up in it: the routes in their tree, each with its way in.
//
// Threads: built by one; then const members by any. Lifetime: requests that it serves look into it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/route/route_tree.h"
#include "http/server/app.h"
#include "http/web/middleware.h"
#include "http/web/request.h"

namespace volt::http::server {

// Where a request goes.
struct Endpoint {
  Chain chain;
  // The handler is a plain function with nobody around it, and is called without a coroutine. Else null.
  Handler::Plain* direct = nullptr;
  std::uint32_t route = 0;  // its number; how many there are: no route
};

class Service {
 public:
  // Throws std::invalid_argument for what is wrong with the app: a malformed pattern or host, routes in conflict, and
  // requirements of handlers (State<T>, From<T>, Path<T, "name">) that nothing meets.
  explicit Service(std::unique_ptr<AppDefinition> definition);

  // Tells the request its route and the app's state. There is always somewhere to go: where no route serves, to what
  // answers 404 and redirects, behind the app's middleware, or 405 and OPTIONS, behind that of the path's other routes.
  [[nodiscard]] const Endpoint& find(Request& request) const;

  [[nodiscard]] const ErrorResponses& errors() const noexcept { return definition_->errors; }
  [[nodiscard]] std::vector<route::RouteInfo> routes() const { return tree_.list(); }
  [[nodiscard]] std::uint32_t route_count() const noexcept { return static_cast<std::uint32_t>(endpoints_.size()); }

 private:
  [[nodiscard]] Endpoint make_endpoint(const Handler& handler, std::size_t group) const;
  void check_requirements(const route::RouteInfo& info, const Endpoint& endpoint) const;
  [[nodiscard]] bool falls_back(const Request& request, const route::Found& found) const noexcept;

  std::unique_ptr<AppDefinition> definition_;
  Handler unrouted_handler_;
  route::RouteTree tree_;
  std::vector<Endpoint> endpoints_;  // by number of their route
  std::vector<Endpoint> unrouted_;   // by number of their group
  Endpoint fallback_;
};

}  // namespace volt::http::server
