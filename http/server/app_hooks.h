// SPDX-License-Identifier: MIT

// AppHooks: the functions of an app that are not handlers: App::background(), on_listen(), before_listen(),
// after_drain() and ready_when(); the path of its OpenAPI document; and middleware of the program that runs the app.
//
// Threads: filled by one thread; then used by the server. Lifetime: shared by the app and the server.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "http/web/middleware.h"
#include "runtime/address.h"
#include "runtime/task.h"

namespace volt::http {

namespace server {
class ReadinessCheck;
}

struct AppHooks {
  struct Step {
    std::move_only_function<Task<>()> function;
    std::source_location where;
    std::chrono::milliseconds limit = std::chrono::milliseconds::max();
  };

  std::vector<Step> background;
  std::vector<std::move_only_function<void(const Address&)>> listening;
  std::vector<Step> before_listen;
  std::vector<Step> after_drain;
  std::vector<std::shared_ptr<server::ReadinessCheck>> readiness;
  std::string openapi_path;           // of the first App::openapi(); empty: none
  std::vector<Middleware> outermost;  // around all middleware of the app; the first is outermost
};

}  // namespace volt::http
