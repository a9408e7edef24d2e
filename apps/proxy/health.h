// SPDX-License-Identifier: MIT

// Health checks: requests to every upstream at intervals.
#pragma once

#include <http/transport/client_transport.h>
#include <runtime/task.h>

#include <memory>

#include "apps/proxy/options.h"
#include "apps/proxy/upstreams.h"

namespace proxy {

// Checks every upstream each HealthOptions::interval and records the results in `upstreams`, until the task is
// cancelled. `tls` is for https, and may be null without it.
[[nodiscard]] volt::Task<> check_health(std::shared_ptr<Upstreams> upstreams, HealthOptions options,
                                        std::shared_ptr<volt::http::ClientTransportSource> tls);

}  // namespace proxy
