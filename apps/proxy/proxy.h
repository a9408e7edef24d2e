// A reverse proxy: upstream_request.h makes the request that an upstream gets, relay.h is its way there and back, upstreams.h knows
// whom to ask, health.h asks how they are, tunnel.h is what a WebSocket becomes.
#pragma once

#include <http/server/app.h>

#include "apps/proxy/options.h"

namespace proxy {

// Throws std::invalid_argument if there are no upstreams.
[[nodiscard]] volt::http::App make_app(const Options& options);

}  // namespace proxy
