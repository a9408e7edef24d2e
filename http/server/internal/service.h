// SPDX-License-Identifier: MIT

// Service: an app in the form in which the server uses it: a tree of routes, each with its handler and middleware.
//
// Threads: built by one thread; afterwards its const members may be called by any. Lifetime: must outlive the requests
// that it serves, which refer to it.
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
#include "runtime/work_class.h"

namespace volt::http::server {

// The handler of a request, with the middleware around it.
struct Endpoint {
  Chain chain;
  // Set if the handler is a plain function without middleware, which is called without a coroutine. Otherwise null.
  Handler::Plain* direct = nullptr;
  WorkClass work_class = {};
  std::uint32_t route = 0;  // index of the route; Service::route_count() if there is no route
};

class Service {
 public:
  // Throws std::invalid_argument if the app is wrong: a malformed pattern or host, conflicting routes, or a requirement
  // of a handler (State<T>, From<T>, Path<T, "name">) that is not met.
  explicit Service(std::unique_ptr<AppDefinition> definition);

  // Finds the endpoint of a request, and sets the request's route and state. There is always an endpoint. If no route
  // matches the path, it responds with 404 or a redirect, inside the app's middleware. If only routes for other methods
  // match the path, it responds with 405, or to OPTIONS, inside the middleware of those routes.
  [[nodiscard]] const Endpoint& find(Request& request) const;

  [[nodiscard]] const message::TypedStore& state() const noexcept { return definition_->state; }
  [[nodiscard]] const ErrorResponses& errors() const noexcept { return definition_->errors; }
  // Returns the state of the middleware that a hot restart hands over.
  [[nodiscard]] std::vector<std::shared_ptr<HandedOverState>> handed_over_states() const;
  [[nodiscard]] MetricRegistry& metrics() const noexcept { return *definition_->metrics; }
  [[nodiscard]] std::vector<route::RouteInfo> routes() const { return tree_.list(); }
  [[nodiscard]] std::uint32_t route_count() const noexcept { return static_cast<std::uint32_t>(endpoints_.size()); }

 private:
  [[nodiscard]] Endpoint make_endpoint(const Handler& handler, std::size_t group) const;
  void check_requirements(const route::RouteInfo& info, const Endpoint& endpoint) const;

  std::unique_ptr<AppDefinition> definition_;
  Handler unrouted_handler_;
  route::RouteTree tree_;
  std::vector<Endpoint> endpoints_;  // by route
  std::vector<Endpoint> unrouted_;   // by group
  Endpoint fallback_;
};

}  // namespace volt::http::server
