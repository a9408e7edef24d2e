// SPDX-License-Identifier: MIT

// trace_requests(): middleware that makes a span for each request.
//
//   app.use(http::trace_requests(tracer));      // before access_log(), so that its lines have the ids
//
// Continues the trace of the request's traceparent and tracestate (W3C Trace Context), or begins one. The span is the
// current one (tracing/span.h) until the response is composed, and ends when the exchange has ended. Its name and
// attributes are those of OpenTelemetry's conventions for HTTP servers: `GET /items/{id}`, http.request.method,
// http.route, http.response.status_code, url.path, server.address, client.address, error.type ..; a response of 500 or
// more, and a response that was not sent completely, make its status `error`. An exception of the handler becomes an
// event. A request that is sampled gets a TraceContext, as from trace_context(); one that has a TraceContext already
// gets that of its span.
//
// Threads: those of middleware. Cost: one coroutine frame and the drawing of ids. A request that is not sampled
// allocates nothing else, unless it has a tracestate.
#pragma once

#include <memory>

#include "http/web/middleware.h"
#include "tracing/tracer.h"

namespace volt::http {

struct RequestSpanOptions {
  bool query = false;  // record the query of the target (url.query), which may contain secrets
};

// Throws std::invalid_argument if `tracer` is null.
[[nodiscard]] Middleware trace_requests(std::shared_ptr<tracing::Tracer> tracer, RequestSpanOptions options = {});

}  // namespace volt::http
