// A request's way to an upstream and its answer's way back, both as they come.
#pragma once

#include <http/client/client.h>
#include <http/web/request.h>
#include <http/web/response.h>
#include <runtime/task.h>

#include <memory>

#include "apps/proxy/options.h"
#include "apps/proxy/upstreams.h"

namespace proxy {

struct RelayContext {
  std::shared_ptr<const Options> options;
  std::shared_ptr<Upstreams> upstreams;
  std::shared_ptr<volt::http::HttpClient> client;
};

// Throws Problem: 421, 502, 503, 504. The answer's body is read from the upstream as the client takes it.
[[nodiscard]] volt::Task<volt::http::Response> relay(volt::http::Request& request, const RelayContext& way);

}  // namespace proxy
