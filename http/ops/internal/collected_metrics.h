// SPDX-License-Identifier: MIT

// The parts of /metrics that come from the monitored app: its readiness checks, its own metrics, and those of its pools
// and listeners.
//
// Threads: any.
#pragma once

#include "http/metrics/metrics.h"
#include "http/ops/internal/monitored_server.h"
#include "http/ops/internal/prometheus_text.h"

namespace volt::http::ops {

void add_readiness(PrometheusText& text, const MonitoredServer& watched);
void add_collected(PrometheusText& text, const MetricRegistry& registry);

}  // namespace volt::http::ops
