// SPDX-License-Identifier: MIT

#include "http/server/internal/respond.h"

#include <exception>

#include "http/web/error_responses.h"
#include "http/web/http_log.h"
#include "http/web/problem.h"
#include "runtime/cancel.h"

namespace volt::http::server {

Response respond(const Endpoint& endpoint, Request& request) noexcept {
  try {
    return (*endpoint.direct)(request);
  } catch (...) {  // decided: ErrorResponses maps every exception to a response
    return endpoint.chain.errors->respond(std::current_exception(), request);
  }
}

Task<Response> respond_later(const Endpoint& endpoint, Request& request) {
  try {
    const Next next(endpoint.chain, 0);
    co_return co_await next(request);
  } catch (const Cancelled&) {
    // Either this task was cancelled, and the next await throws again; or the handler awaited a task that was
    // cancelled.
  }
  co_await yield();
  kHttpLog(LogLevel::error, "handler awaited a task that was cancelled", {{"path", request.path()}});
  co_return Problem(Status::internal_server_error).to_response(request.id());
}

}  // namespace volt::http::server
