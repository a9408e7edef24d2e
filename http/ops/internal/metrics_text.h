// SPDX-License-Identifier: MIT

// Composes the response of /metrics.
//
// Threads: any.
#pragma once

#include <string>

#include "http/ops/internal/monitored_server.h"

namespace volt::http::ops {

[[nodiscard]] std::string metrics_text(const MonitoredServer& watched);

}  // namespace volt::http::ops
