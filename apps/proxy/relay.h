// SPDX-License-Identifier: MIT

// Relays a request to an upstream and its response to the client. Both bodies are streamed.
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

// Returns the upstream's response; its body is read from the upstream at the speed of the client. Throws Problem: 400,
// 421, 429, 502, 503 or 504.
[[nodiscard]] volt::Task<volt::http::Response> relay(volt::http::Request& request, const RelayContext& way);

}  // namespace proxy
