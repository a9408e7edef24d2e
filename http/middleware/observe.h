// SPDX-License-Identifier: MIT

// Middleware for observability: request ids, traces and access logs.
//
//   app.use(http::request_id(), http::trace_context(), http::access_log());
//
// Threads: the factories are called while the app is built. The middleware may run on any worker.
// Cost: each middleware costs one coroutine frame per request. In addition, request_id() makes two short strings;
// trace_context() stores one value and gets random bytes from the kernel; access_log() allocates almost nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/message/trace_context.h"
#include "http/web/middleware.h"

namespace volt::http {

struct RequestIdOptions {
  bool accept_client_id = true;         // use the client's id, if it is safe to log: see http/message/request_id.h
  std::string header = "X-Request-Id";  // the field of the request and of the response
};

// Gives the request an id (Request::id): the client's id, or a new UUID of version 7. Problems, logs and the response
// contain the id. Throws std::invalid_argument if `header` is not a field name.
[[nodiscard]] Middleware request_id(RequestIdOptions options = {});

using message::TraceContext;

struct TraceOptions {
  bool sample = false;  // set the flag `sampled` in traces that begin here: their spans may have been recorded
};

// W3C Trace Context, level 1: continues the request's trace, or begins one. Provides TraceContext with a new span for
// this request; send it as `traceparent` with outgoing requests. Adds nothing to the response, for which level 1 has no
// field.
[[nodiscard]] Middleware trace_context(TraceOptions options = {});

enum class AccessLogFormat : std::uint8_t {
  structured,  // an entry of the runtime's log at level info, in its format; if there is a sink, a line of JSON
  combined,    // Apache's combined format with the query; then the duration in seconds, the pattern, the request's id
               // and the outcome
};

struct AccessLogOptions {
  AccessLogFormat format = AccessLogFormat::structured;
  // Receives each line with its '\n', at most 4 KiB; the view is valid until the function returns. Several workers may
  // call it at once; it must not block. A line is lost if it throws. Empty: the runtime's log (runtime/log.h), which
  // drops lines rather than block.
  std::function<void(std::string_view line)> sink = {};
};

// Logs one line per request when its exchange has ended (http/web/exchange.h): method, path, pattern, status, bytes of
// the body that were sent, outcome, duration and its phases (queue, receive, handler, send), ids, client. A request
// that got no response, because its client disconnected or the server stopped, has no status. The line of a WebSocket
// is written when it is closed, with the numbers of its messages and its close code. Untrusted text is escaped and
// truncated, so that each request stays one line. Of pipelined requests, each response is sent before the next one is
// composed. List access_log() first, or right after request_id().
[[nodiscard]] Middleware access_log(AccessLogOptions options = {});

}  // namespace volt::http
