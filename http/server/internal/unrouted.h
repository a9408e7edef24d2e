// SPDX-License-Identifier: MIT

// The response to a request without a route.
//
// Threads: pure functions.
#pragma once

#include "http/route/method_set.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::server {

// The reason why there is no route; Service puts it into the request.
struct Unrouted {
  route::MethodSet allow;  // methods of the routes that match the path; empty if none match
  bool redirect = false;   // a route would match if a slash were added at the path's end or removed
};

// Returns 404 if no route matches the path. If one matches with another method, returns 405 with Allow (RFC 9110
// section 15.5.6), or 204 to OPTIONS (section 9.3.7). Returns 308 if only the slash at the end differs (section
// 15.4.9).
[[nodiscard]] Response respond_unrouted(Request& request);

}  // namespace volt::http::server
