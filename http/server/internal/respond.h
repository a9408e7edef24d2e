// From a request to exactly one response: every way out of a handler ends here.
#pragma once

#include "http/server/internal/service.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http::server {

// The answer of an endpoint that is direct. What it throws becomes an answer too.
[[nodiscard]] Response respond(const Endpoint& endpoint, Request& request) noexcept;

// The answer of any. Only Cancelled passes through, and only if the calling task is cancelled.
[[nodiscard]] Task<Response> respond_later(const Endpoint& endpoint, Request& request);

}  // namespace volt::http::server
