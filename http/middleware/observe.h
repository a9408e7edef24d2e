// Middleware by which a request can be followed: its id, its trace, its line in the log.
//
//   app.use(http::request_id(), http::trace_context(), http::access_log());
//
// Threads: factories, called while the app is built. What they make may run on any worker.
// Cost: each one coroutine frame a request; request_id() two short strings; trace_context() one value, and a draw of the
// kernel's randomness; access_log() no allocation to speak of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "http/message/trace_context.h"
#include "http/web/middleware.h"

namespace volt::http {

struct RequestIdOptions {
  bool accept_client_id = true;         // X-Request-Id, if it is safe to log: see http/message/request_id.h
  std::string header = "X-Request-Id";  // where it is read, and written into the answer
};

// Gives the request an id (Request::id), which problems, logs and the answer repeat: the client's, or a new UUID of
// version 7. Throws std::invalid_argument if `header` is no field name.
[[nodiscard]] Middleware request_id(RequestIdOptions options = {});

using message::TraceContext;

struct TraceOptions {
  bool sample = false;  // traces that begin here say that somebody recorded their spans (the flag `sampled`)
};

// W3C Trace Context, level 1: continues the request's trace, or begins one. Provides TraceContext, whose span is this
// request's own: what goes out with our own requests as `traceparent`. Adds nothing to the answer, for which level 1
// has no field.
[[nodiscard]] Middleware trace_context(TraceOptions options = {});

enum class AccessLogFormat : std::uint8_t {
  structured,  // an entry of the runtime's log, in its format and at level info; to a sink, a line of JSON
  combined,    // as Apache writes it, with the query; then the duration in seconds, the pattern and the request's id
};

struct AccessLogOptions {
  AccessLogFormat format = AccessLogFormat::structured;
  // Takes a line with its '\n', at most 4 KiB; valid until it returns. Called by many workers at a time, and must not
  // block. Empty: the runtime's log (runtime/log.h), which drops lines rather than hold up the service.
  std::function<void(std::string_view line)> sink = {};
};

// One line for each request, when its answer has been composed: method, path, pattern, status, bytes of the body (none
// for one that is streamed and does not know), time until then, ids, client. One that was cancelled (its client has
// gone, or the server stops) has no status. What comes from outside is escaped and cut, so that a line stays a line.
// Wants to be outermost, but for request_id().
[[nodiscard]] Middleware access_log(AccessLogOptions options = {});

}  // namespace volt::http
