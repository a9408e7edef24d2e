// SPDX-License-Identifier: MIT

// RefusedConnections: counts connections that were closed before their first request, by reason, for /metrics.
//
// Threads: any. Lifetime: that of the ServerState.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/metric_sink.h"
#include "runtime/tcp.h"

namespace volt::http::server {

class Overload;

class RefusedConnections {
 public:
  void count_proxy_header() noexcept { proxy_headers_.fetch_add(1, base::relaxed); }  // relaxed: a report
  void count_handshake() noexcept { handshakes_.fetch_add(1, base::relaxed); }        // relaxed: a report

  void report(MetricSink& sink, const Overload& overload) const;

 private:
  base::Atomic<std::uint64_t> proxy_headers_{0};
  base::Atomic<std::uint64_t> handshakes_{0};
};

// Reports the connections that the listener has refused because no descriptor was left.
void report_refused(MetricSink& sink, const TcpListener& listener);

}  // namespace volt::http::server
