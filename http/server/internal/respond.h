// SPDX-License-Identifier: MIT

// Turns a request into exactly one response, whether its handler returns or throws.
#pragma once

#include "http/server/internal/service.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http::server {

// Calls the handler of an endpoint whose `direct` is set (Endpoint). An exception becomes an error response.
[[nodiscard]] Response respond(const Endpoint& endpoint, Request& request) noexcept;

// Runs the endpoint and returns its response. Throws only Cancelled, and only if the calling task is cancelled.
[[nodiscard]] Task<Response> respond_later(const Endpoint& endpoint, Request& request);

}  // namespace volt::http::server
