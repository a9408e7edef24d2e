// The app that the ops listener serves.
//
// Lifetime: `watched` outlives it.
#pragma once

#include <string>
#include <vector>

#include "http/ops/internal/monitored_server.h"
#include "http/server/app.h"

namespace volt::http::ops {

[[nodiscard]] App make_service(const MonitoredServer& watched, std::vector<std::string> allowed_hosts);

}  // namespace volt::http::ops
