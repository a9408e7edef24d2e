// SPDX-License-Identifier: MIT

#include "http/server/internal/service.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/server/internal/unrouted.h"

namespace volt::http::server {
namespace {

std::string described(const route::RouteInfo& info) {
  std::string text = info.method ? std::string(to_string(*info.method)) : "any method";
  return text.append(" ").append(info.host).append(info.pattern).append(" (").append(info.origin).append(")");
}

}  // namespace

Service::Service(std::unique_ptr<AppDefinition> definition)
    : definition_(std::move(definition)),
      unrouted_handler_(respond_unrouted, BodyUse::none),
      tree_(definition_->trailing_slash) {
  for (const AppDefinition::Route& route : definition_->routes) {
    const std::string& host = definition_->groups[route.group].host;
    const std::size_t number = tree_.add(route.method, host, route.pattern, route.origin);
    endpoints_.push_back(make_endpoint(route.handler, route.group));
    endpoints_.back().route = static_cast<std::uint32_t>(number);
    check_requirements(tree_.info(number), endpoints_.back());
  }
  for (std::size_t group = 0; group != definition_->groups.size(); ++group) {
    unrouted_.push_back(make_endpoint(unrouted_handler_, group));
    unrouted_.back().route = route_count();
  }
  for (const route::RouteInfo& info : tree_.list()) definition_->route_list->append(described(info)).append("\n");
  for (auto& call : definition_->when_complete) call(*definition_);
  if (definition_->fallback) fallback_ = make_endpoint(*definition_->fallback, 0);
  fallback_.route = route_count();
}

Endpoint Service::make_endpoint(const Handler& handler, std::size_t group) const {
  Endpoint endpoint;
  endpoint.chain.handler = &handler;
  endpoint.chain.errors = &definition_->errors;
  auto& around = endpoint.chain.around;
  for (;; group = definition_->groups[group].outer) {
    std::vector<Middleware*> layer;
    for (const auto& middleware : definition_->groups[group].middleware) layer.push_back(middleware.get());
    around.insert(around.begin(), layer.begin(), layer.end());
    if (group == 0) break;
  }
  if (around.empty()) endpoint.direct = handler.plain();
  return endpoint;
}

void Service::check_requirements(const route::RouteInfo& info, const Endpoint& endpoint) const {
  const auto refuse = [&](const Requirement& requirement, const std::string& cure) {
    throw std::invalid_argument(described(info) + " requires " + std::string(requirement.name) + ": " + cure);
  };
  const auto provides = [](const Requirement& requirement) {
    return [&requirement](const Middleware* middleware) { return middleware->may_provide(requirement.type); };
  };
  for (const Requirement& requirement : endpoint.chain.handler->requirements()) {
    switch (requirement.kind) {
      case Requirement::Kind::state:
        if (!definition_->state.contains(requirement.type)) refuse(requirement, "add it with app.state()");
        break;
      case Requirement::Kind::provided:
        if (std::ranges::none_of(endpoint.chain.around, provides(requirement))) {
          refuse(requirement, "add a middleware that provides it, to the app or to a group of the route");
        }
        break;
      case Requirement::Kind::param:
        if (std::ranges::find(info.names, requirement.name) == info.names.end()) {
          refuse(requirement, "its pattern has no parameter of this name");
        }
        break;
    }
  }
}

const Endpoint& Service::find(Request& request) const {
  request.set_state(definition_->state);
  const route::Found found = tree_.find(request.method(), request.host(), request.path(), request.params());
  if (found.route) {
    request.set_route(tree_.info(*found.route));
    return endpoints_[*found.route];
  }
  if (falls_back(request, found)) return fallback_;
  request.put(Unrouted{.allow = found.allow, .redirect = found.redirect});
  return unrouted_[found.nearest ? definition_->routes[*found.nearest].group : 0];
}

bool Service::falls_back(const Request& request, const route::Found& found) const noexcept {
  const bool path_known = !found.allow.empty() || found.redirect;
  return definition_->fallback && !path_known && request.path() != "*" && request.method() != Method::trace;
}

}  // namespace volt::http::server
