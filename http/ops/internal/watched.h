// Watched: what the ops listener looks at.
//
// Threads: any may read. Lifetime: outlives the listener.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http/ops/internal/readiness.h"
#include "http/route/route_tree.h"
#include "http/server/site.h"
#include "runtime/runtime.h"

namespace volt::http::ops {

struct Watched {
  Runtime& runtime;
  std::shared_ptr<server::Site> site;
  const std::vector<route::RouteInfo> routes = site->service.routes();
  Readiness readiness = {};

  [[nodiscard]] Readiness::State state() const noexcept {
    return site->drain_announced() ? Readiness::State::draining : readiness.state();
  }
  // "example.com/items/{id}"; empty for the number that means no route.
  [[nodiscard]] std::string pattern(std::uint32_t route) const {
    return route < routes.size() ? routes[route].host + routes[route].pattern : std::string();
  }
};

}  // namespace volt::http::ops
