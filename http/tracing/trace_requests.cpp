// SPDX-License-Identifier: MIT

#include "http/tracing/trace_requests.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "http/message/host_port.h"
#include "http/message/trace_context.h"
#include "http/middleware/client_address.h"
#include "http/web/exchange.h"
#include "http/web/request.h"
#include "tracing/open_span.h"
#include "tracing/span.h"

namespace volt::http {
namespace {

using message::TraceContext;
using message::TraceParent;
using tracing::OpenSpan;
using tracing::SpanContext;

SpanContext to_span(const TraceParent& parent) noexcept {
  return {.trace_id = parent.trace_id,
          .span_id = parent.span_id,
          .sampled = parent.sampled,
          .random_trace_id = parent.random_trace_id};
}

TraceParent to_parent(const SpanContext& span) noexcept {
  return {.trace_id = span.trace_id,
          .span_id = span.span_id,
          .sampled = span.sampled,
          .random_trace_id = span.random_trace_id};
}

std::string name_of(const Request& request) {
  std::string name(to_string(request.method()));
  if (!request.pattern().empty()) name.append(" ").append(request.pattern());
  return name;
}

void set_if(OpenSpan& span, std::string_view key, std::string_view value) noexcept {
  if (!value.empty()) span.set({key, value});
}

void set_server(OpenSpan& span, std::string_view host) noexcept {
  const std::string_view name = message::without_port(host);
  set_if(span, "server.address", name);
  std::uint16_t port = 0;
  const char* const end = host.data() + host.size();
  if (name.size() + 1 < host.size() && std::from_chars(host.data() + name.size() + 1, end, port).ptr == end) {
    span.set({"server.port", port});
  }
}

void set_request(OpenSpan& span, const Request& request, const RequestSpanOptions& options) {
  span.set({"http.request.method", to_string(request.method())});
  set_if(span, "http.route", request.pattern());
  span.set({"url.scheme", request.secure() ? "https" : "http"});
  span.set({"url.path", request.path()});
  if (options.query) set_if(span, "url.query", request.query());
  set_server(span, request.host());
  set_if(span, "client.address", ClientAddress::from(request).text());
  span.set({"network.protocol.version", request.version() == Version::http_1_1 ? "1.1" : "1.0"});
  set_if(span, "user_agent.original", request.header("user-agent").value_or(""));
}

// `error.type` is the status of a response that the server is to blame for, or else how the exchange was cut short.
void set_end(OpenSpan& span, const ExchangeEnd& end) noexcept {
  if (end.status) span.set({"http.response.status_code", code(*end.status)});
  span.set({"http.response.body.size", end.body_bytes});
  const bool is_whole = end.outcome == ExchangeOutcome::complete || end.outcome == ExchangeOutcome::upgraded;
  char digits[5] = {};
  std::string_view error;
  if (end.status && code(*end.status) >= 500) {
    error = {digits, std::to_chars(digits, digits + sizeof digits, code(*end.status)).ptr};
  } else if (!is_whole) {
    error = to_string(end.outcome);
  }
  if (error.empty()) return;
  span.set({"error.type", error});
  span.set_status(tracing::SpanStatus::error, is_whole ? std::string_view() : to_string(end.outcome));
}

class TraceRequests {
 public:
  TraceRequests(std::shared_ptr<tracing::Tracer> tracer, RequestSpanOptions options) noexcept
      : tracer_(std::move(tracer)), options_(options) {}

  Task<Response> operator()(Request& request, Next next) {
    const std::optional<TraceContext> received = message::trace_context(request.headers());
    const SpanContext parent = received ? to_span(received->parent) : SpanContext();
    const SpanContext context = tracer_->begin(received ? &parent : nullptr);
    OpenSpan* const open = context.sampled ? &record(request, context, received) : nullptr;
    if (open != nullptr || request.find<TraceContext>() != nullptr) {
      request.put(TraceContext{to_parent(context), received ? received->state : std::string()});
    }
    const tracing::ActiveSpan active(*tracer_, context, received ? std::string_view(received->state) : "", open);
    co_return co_await next(request);
  }

 private:
  // Begins a span that ends with the exchange.
  OpenSpan& record(Request& request, const SpanContext& context, const std::optional<TraceContext>& received) {
    auto span = std::make_unique<OpenSpan>(*tracer_, context, name_of(request), tracing::SpanKind::server);
    if (received) {
      span->set_parent(received->parent.span_id, true);
      span->set_trace_state(received->state);
    }
    set_request(*span, request, options_);
    OpenSpan& begun = *span;
    request.after_response([span = std::move(span)](const ExchangeEnd& end) noexcept {
      set_end(*span, end);
      span->end();
    });
    return begun;
  }

  std::shared_ptr<tracing::Tracer> tracer_;
  RequestSpanOptions options_;
};

}  // namespace

Middleware trace_requests(std::shared_ptr<tracing::Tracer> tracer, RequestSpanOptions options) {
  if (tracer == nullptr) throw std::invalid_argument("trace_requests() needs a tracer");
  return Middleware(TraceRequests(std::move(tracer), options));
}

}  // namespace volt::http
