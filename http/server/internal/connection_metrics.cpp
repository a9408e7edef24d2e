// SPDX-License-Identifier: MIT

#include "http/server/internal/connection_metrics.h"

#include <string_view>

#include "http/server/internal/overload.h"

namespace volt::http::server {
namespace {

void count(MetricSink& sink, std::string_view reason, std::uint64_t refused) {
  sink.counter("volt_connections_refused_total",
               "Connections that were closed before their first request: their client had its maximum of connections "
               "(client_connections), no descriptor was left (descriptors), the PROXY header was missing, malformed or "
               "from an untrusted peer (proxy_header), or the transport's handshake failed (handshake).",
               {{"reason", reason}}, refused);
}

}  // namespace

void RefusedConnections::report(MetricSink& sink, const Overload& overload) const {
  count(sink, "client_connections", overload.noted(OverloadReason::client_connections));
  count(sink, "proxy_header", proxy_headers_.load(base::relaxed));  // relaxed: a report
  count(sink, "handshake", handshakes_.load(base::relaxed));        // relaxed: a report
  count(sink, "descriptors", 0);                                    // so that the series exists from the start
}

void report_refused(MetricSink& sink, const TcpListener& listener) { count(sink, "descriptors", listener.refused()); }

}  // namespace volt::http::server
