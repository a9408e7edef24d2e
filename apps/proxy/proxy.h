// SPDX-License-Identifier: MIT

// A reverse proxy. relay.h sends a request to an upstream and returns the response. upstream_request.h makes the
// request for the upstream. upstreams.h selects the upstream, and health.h checks all of them. tunnel.h relays a
// WebSocket.
#pragma once

#include <http/server/app.h>

#include "apps/proxy/options.h"

namespace proxy {

[[nodiscard]] volt::http::App make_app(const Options& options);

}  // namespace proxy
