// SPDX-License-Identifier: MIT

#include "http/server/internal/service.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/metrics/metrics.h"
#include "http/server/internal/unrouted.h"

namespace volt::http::server {
namespace {

std::string named(const route::RouteInfo& info) {
  std::string text = info.method ? std::string(to_string(*info.method)) : "any method";
  return text.append(" ").append(info.host).append(info.pattern);
}

std::string described(const route::RouteInfo& info) { return named(info).append(" (").append(info.origin).append(")"); }

// The fallback has no route, and so an info without a pattern.
std::string described_or_fallback(const route::RouteInfo& info) {
  return info.pattern.empty() ? "the fallback" : described(info);
}

// Returns the methods that Allow names for a path of the fallback, in a response to TRACE. The fallback also gets
// requests with the less common methods of the registry.
route::MethodSet methods_of_fallback() noexcept {
  using enum Method;
  route::MethodSet methods;
  for (const Method method : {get, head, post, put, del, options, patch}) methods.insert(method);
  return methods;
}

}  // namespace

Service::Service(std::unique_ptr<AppDefinition> definition)
    : definition_(std::move(definition)),
      unrouted_handler_(respond_unrouted, BodyUse::none),
      tree_(definition_->trailing_slash) {
  if (!definition_->mistakes.empty()) throw std::invalid_argument(definition_->mistakes.front());
  if (const std::string mistake = metrics().end_setup(); !mistake.empty()) throw std::invalid_argument(mistake);
  for (const auto report : definition_->state_metrics) {
    metrics().add([report, state = &definition_->state](MetricSink& sink) { report(*state, sink); });
  }
  for (const AppDefinition::Route& route : definition_->routes) {
    const std::string& host = definition_->groups[route.group].host;
    const std::size_t number = tree_.add(route.method, host, route.pattern, route.origin);
    endpoints_.push_back(make_endpoint(route.handler, route.group));
    endpoints_.back().route = static_cast<std::uint32_t>(number);
    endpoints_.back().work_class = WorkClass::make(route.weight, named(tree_.info(number)));
    check_requirements(tree_.info(number), endpoints_.back());
  }
  for (std::size_t group = 0; group != definition_->groups.size(); ++group) {
    unrouted_.push_back(make_endpoint(unrouted_handler_, group));
    unrouted_.back().route = route_count();
  }
  for (const route::RouteInfo& info : tree_.list()) definition_->route_list->append(described(info)).append("\n");
  for (auto& call : definition_->when_complete) call(*definition_);
  if (definition_->fallback) {
    fallback_ = make_endpoint(*definition_->fallback, 0);
    check_requirements({}, fallback_);
  }
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
    throw std::invalid_argument(described_or_fallback(info) + " requires " + std::string(requirement.name) + ": " +
                                cure);
  };
  const auto provides = [](const Requirement& requirement) {
    return [&requirement](const Middleware* middleware) { return middleware->may_provide(requirement.type); };
  };
  std::size_t taken = 0;
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
      case Requirement::Kind::place:  // the compiler has checked patterns that are literals, but no others
        if (++taken > info.names.size()) refuse(requirement, "its pattern has fewer than the handler takes");
        break;
    }
  }
}

std::vector<std::shared_ptr<HandedOverState>> Service::handed_over_states() const {
  std::vector<std::shared_ptr<HandedOverState>> states;
  for (const AppDefinition::Group& group : definition_->groups) {
    for (const auto& middleware : group.middleware) {
      if (const auto& state = middleware->handed_over_state()) states.push_back(state);
    }
  }
  return states;
}

const Endpoint& Service::find(Request& request) const {
  request.set_state(definition_->state);
  const route::Found found = tree_.find(request.method(), request.host(), request.path(), request.params());
  if (found.route) {
    request.set_route(tree_.info(*found.route));
    return endpoints_[*found.route];
  }
  const bool path_unknown = found.allow.empty() && !found.redirect && request.path() != "*";
  const bool falls_back = definition_->fallback && path_unknown;
  if (falls_back && request.method() != Method::trace) return fallback_;
  request.put(Unrouted{.allow = falls_back ? methods_of_fallback() : found.allow, .redirect = found.redirect});
  return unrouted_[found.nearest ? definition_->routes[*found.nearest].group : 0];
}

}  // namespace volt::http::server
