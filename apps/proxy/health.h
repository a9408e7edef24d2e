// SPDX-License-Identifier: MIT

// Health checks: requests to every upstream at intervals.
#pragma once

#include <runtime/task.h>

#include <memory>

#include "apps/proxy/options.h"
#include "apps/proxy/upstreams.h"

namespace proxy {

// Checks every upstream each health_interval and records the results in `upstreams`, until the task is cancelled.
[[nodiscard]] volt::Task<> check_health(std::shared_ptr<Upstreams> upstreams, Options options);

}  // namespace proxy
