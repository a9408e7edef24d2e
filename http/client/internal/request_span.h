// SPDX-License-Identifier: MIT

// The span of a request of the client, with the attributes of OpenTelemetry's conventions for HTTP clients.
//
// Threads: one task at a time.
#pragma once

#include <system_error>

#include "http/client/internal/uri.h"
#include "http/message/headers.h"
#include "http/message/method.h"
#include "http/message/status.h"
#include "tracing/span.h"

namespace volt::http::client {

// A child of the current span, if that is recorded. A redirect to follow gets a span of its own.
class RequestSpan {
 public:
  RequestSpan(Method method, const Uri& uri);

  void set_response(Status status) noexcept;
  void set_failure(const std::error_code& error) noexcept;

 private:
  tracing::Span span_;
};

// Replaces traceparent and tracestate in `fields` by those of the current span. Without a current span, keeps them.
void add_trace_context(FieldList& fields);

}  // namespace volt::http::client
