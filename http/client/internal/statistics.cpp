// SPDX-License-Identifier: MIT

#include "http/client/internal/statistics.h"

#include "http/client/internal/authorities.h"

namespace volt::http::client {

void Statistics::report(MetricSink& sink, std::size_t idle, const Authorities& authorities) const {
  const std::uint64_t all = open.load(base::relaxed);  // relaxed: a report
  const auto connections = [&](std::string_view state, std::uint64_t count) {
    sink.gauge("volt_http_client_connections",
               "Connections of the HTTP client: with a request (active), kept for the next one (idle), being opened "
               "(connecting).",
               {{"client", name_}, {"state", state}}, static_cast<double>(count));
  };
  const std::uint64_t opening = connecting.load(base::relaxed);  // relaxed: a report
  connections("active", all > idle ? all - idle : 0);
  connections("idle", idle);
  connections("connecting", opening);
  sink.counter("volt_http_client_requests_total", "Requests that the HTTP client began to send.", {{"client", name_}},
               requests.load(base::relaxed));  // relaxed: a report
  sink.counter("volt_http_client_retries_total", "Attempts of the HTTP client after the first one of a request.",
               {{"client", name_}}, retries.load(base::relaxed));  // relaxed: a report
  sink.counter("volt_http_client_hedges_total",
               "Second copies of requests that the HTTP client sent because the first one had no response for long.",
               {{"client", name_}}, hedges.load(base::relaxed));  // relaxed: a report
  sink.counter("volt_http_client_hedges_won_total",
               "Second copies of requests of the HTTP client that had a good response before the first one had.",
               {{"client", name_}}, won_hedges.load(base::relaxed));  // relaxed: a report
  sink.counter("volt_http_client_retry_budget_exhausted_total",
               "Retries and hedges that the HTTP client did not make because the server's retry budget was exhausted.",
               {{"client", name_}}, exhausted_budgets.load(base::relaxed));  // relaxed: a report
  for (const auto& [name, state] : {std::pair("open", CircuitState::open), {"half_open", CircuitState::half_open}}) {
    sink.gauge("volt_http_client_circuits",
               "Servers whose circuit is open, or half open, for requests of the HTTP client.",
               {{"client", name_}, {"state", name}}, static_cast<double>(authorities.circuits(state)));
  }
  sink.counter("volt_http_client_circuit_openings_total", "Times that a circuit of the HTTP client has opened.",
               {{"client", name_}}, opened_circuits.load(base::relaxed));  // relaxed: a report
  for (std::size_t i = 0; i != failures_.size(); ++i) {
    sink.counter("volt_http_client_errors_total",
                 "Requests of the HTTP client that got no response: no connection (connect), no response in time "
                 "(timeout), connection lost or malformed response (response), not sent because earlier ones failed "
                 "(circuit_open) or too many were in progress (concurrency_limit).",
                 {{"client", name_}, {"reason", kFailureReasons[i]}},
                 failures_[i].load(base::relaxed));  // relaxed: a report
  }
  connect_times.report(sink, "volt_http_client_connect_seconds",
                       "Time to open a connection, with name lookup and TLS handshake, in seconds.",
                       {{"client", name_}});
}

}  // namespace volt::http::client
