// SPDX-License-Identifier: MIT

// Turns a request into exactly one response: every way out of a handler ends here.
#pragma once

#include "http/server/internal/service.h"
#include "http/web/request.h"
#include "http/web/response.h"
#include "runtime/task.h"

namespace volt::http::server {

// Calls the handler of a direct endpoint. An exception becomes a response, too.
[[nodiscard]] Response respond(const Endpoint& endpoint, Request& request) noexcept;

// Runs the endpoint and returns its response. Throws only Cancelled, and only if the calling task is cancelled.
[[nodiscard]] Task<Response> respond_later(const Endpoint& endpoint, Request& request);

}  // namespace volt::http::server
