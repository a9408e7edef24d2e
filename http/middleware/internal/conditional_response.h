// SPDX-License-Identifier: MIT

// The response to a conditional request (RFC 9110 section 13).
//
// Threads: pure functions, but for the clock.
#pragma once

#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::middleware {

// Evaluates the request's conditions against the validators of a 200 response to GET or HEAD, ETag and Last-Modified.
// Returns the response, or 304 without its body, or 412. A response without validators is returned as it is.
[[nodiscard]] Response evaluate_conditions(const Request& request, Response response);

}  // namespace volt::http::middleware
