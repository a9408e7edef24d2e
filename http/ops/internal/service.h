// SPDX-License-Identifier: MIT

// The app that the ops server serves.
//
// Lifetime: `watched` must outlive the app.
#pragma once

#include "http/ops/internal/monitored_server.h"
#include "http/ops/ops.h"
#include "http/server/app.h"

namespace volt::http::ops {

[[nodiscard]] App make_service(const MonitoredServer& watched, const OpsOptions& options);

}  // namespace volt::http::ops
