// SPDX-License-Identifier: MIT

// MonitoredServer: the server and the runtime that an ops server reports on.
//
// Threads: any may read. Lifetime: must outlive the ops server's listener.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "http/ops/internal/readiness.h"
#include "http/route/route_tree.h"
#include "http/server/server_state.h"
#include "runtime/runtime.h"

namespace volt::http::ops {

struct MonitoredServer {
  Runtime& runtime;
  std::shared_ptr<server::ServerState> server_state;
  const std::vector<route::RouteInfo> routes = server_state->service.routes();
  Readiness readiness = {};

  [[nodiscard]] Readiness::State state() const noexcept {
    return server_state->drain_announced() ? Readiness::State::draining : readiness.state();
  }
  // Returns the host and pattern of the route with this index, such as "example.com/items/{id}". Empty for
  // Traffic::no_route().
  [[nodiscard]] std::string pattern(std::uint32_t route) const {
    return route < routes.size() ? routes[route].host + routes[route].pattern : std::string();
  }
};

}  // namespace volt::http::ops
