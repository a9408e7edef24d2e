// SPDX-License-Identifier: MIT

#include "http/client/internal/request_span.h"

#include <new>
#include <string>

#include "http/message/trace_context.h"

namespace volt::http::client {
namespace {

// The URI without its query, which may contain secrets.
std::string full_uri(const Uri& uri) {
  return (uri.secure ? "https://" : "http://") + uri.authority + uri.target.substr(0, uri.target.find('?'));
}

}  // namespace

RequestSpan::RequestSpan(Method method, const Uri& uri) : span_(to_string(method), tracing::SpanKind::client) {
  if (!span_.recording()) return;
  span_.set({"http.request.method", to_string(method)});
  span_.set({"server.address", uri.host});
  span_.set({"server.port", uri.port});
  span_.set({"url.full", full_uri(uri)});
}

void RequestSpan::set_response(Status status) noexcept {
  if (!span_.recording()) return;
  span_.set({"http.response.status_code", code(status)});
  if (code(status) < 400) return;
  span_.set({"error.type", std::to_string(code(status))});
  span_.fail("");
}

void RequestSpan::set_failure(const std::error_code& error) noexcept {
  if (!span_.recording()) return;
  try {
    const std::string message = error.message();
    span_.set({"error.type", message});
    span_.fail(message);
  } catch (const std::bad_alloc&) {  // decided: the span says only that the request failed
    span_.fail("");
  }
}

void add_trace_context(FieldList& fields) {
  const tracing::ActiveSpan* const span = tracing::current_span();
  if (span == nullptr) return;
  const tracing::SpanContext& context = span->context();
  const message::TraceParent parent{.trace_id = context.trace_id,
                                    .span_id = context.span_id,
                                    .sampled = context.sampled,
                                    .random_trace_id = context.random_trace_id};
  fields.set("traceparent", parent.to_string());
  if (span->trace_state().empty()) {
    fields.remove("tracestate");
  } else {
    fields.set("tracestate", span->trace_state());
  }
}

}  // namespace volt::http::client
