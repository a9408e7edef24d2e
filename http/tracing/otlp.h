// SPDX-License-Identifier: MIT

// export_traces(): sends the spans of a tracer to a collector by OTLP/HTTP with JSON.
//
//   const auto tracer = std::make_shared<tracing::Tracer>(http::tracer_options_from_environment());
//   app.use(http::trace_requests(tracer));
//   app.background(http::export_traces(tracer, http::otlp_options_from_environment()));
//   app.state(tracer);                    // optional: the ops server then has the tracer's counters on /metrics
//
// Sends a batch when OtlpOptions::batch_max spans wait, and after OtlpOptions::delay at the latest. A batch that the
// collector cannot take now (429, 502, 503, 504, and failed connections) is sent again after a pause, which is that of
// Retry-After or doubles each time. Further spans wait in the queue of the tracer; when that is full, they are dropped
// and counted. When the server stops, the exporter sends what is left, for at most OtlpOptions::shutdown_timeout.
//
// Threads: the factories are called by one thread; the coroutine runs in a task. Lifetime: the coroutine shares the
// tracer.
// Errors: a collector that fails is logged once, and once more when it accepts spans again; lost spans are counted
// (Tracer::state).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/task.h"
#include "tracing/tracer.h"

namespace volt::http {

class ClientTransportSource;

struct OtlpOptions {
  std::string endpoint = "http://localhost:4318/v1/traces";  // the whole URI
  // Further header fields, for example for authentication.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::size_t batch_max = 512;                               // spans in one request
  std::size_t body_bytes_max = 4 * 1024 * 1024;              // a request that has become larger takes no further span
  std::chrono::nanoseconds delay = std::chrono::seconds(5);  // maximum wait for a full batch
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);      // of one attempt to send
  std::uint32_t attempts_max = 6;                                   // to send a batch; then it is dropped
  std::chrono::nanoseconds backoff_min = std::chrono::seconds(1);   // pause before the second attempt
  std::chrono::nanoseconds backoff_max = std::chrono::seconds(30);  // maximum pause, also of Retry-After
  // Maximum time to send what is left when the server stops. volt::run gives tasks a second at least.
  std::chrono::nanoseconds shutdown_timeout = std::chrono::milliseconds(800);
  std::shared_ptr<ClientTransportSource> tls = {};  // for an https endpoint
};

// Returns `options`, changed by the environment: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT (the whole URI), or else
// OTEL_EXPORTER_OTLP_ENDPOINT (to which /v1/traces is appended); OTEL_EXPORTER_OTLP_HEADERS (`name=value,name=value`,
// percent-encoded); OTEL_EXPORTER_OTLP_TIMEOUT (milliseconds). Variables that are empty count as unset. Throws
// std::invalid_argument with the variable's name for a malformed value.
[[nodiscard]] OtlpOptions otlp_options_from_environment(OtlpOptions options = {});

// Returns `options`, changed by the environment: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES (`key=value,key=value`,
// percent-encoded), OTEL_TRACES_SAMPLER (always_on, always_off, traceidratio, and each with `parentbased_` before it)
// and OTEL_TRACES_SAMPLER_ARG (the ratio). Throws like otlp_options_from_environment().
[[nodiscard]] tracing::TracerOptions tracer_options_from_environment(tracing::TracerOptions options = {});

// Returns the coroutine function for App::background(). Throws std::invalid_argument for an endpoint that is not http
// or https, for https without OtlpOptions::tls, for malformed header fields, and for bounds of 0.
[[nodiscard]] std::move_only_function<Task<>()> export_traces(std::shared_ptr<tracing::Tracer> tracer,
                                                              OtlpOptions options = {});

}  // namespace volt::http
