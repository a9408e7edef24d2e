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
  route::MethodSet allow;  // the methods of the path's other routes; empty if there are none
  bool redirect = false;   // there is a route for the path with a slash more, or less
};

// 404; 405 with Allow (RFC 9110 section 15.5.6); 204 to OPTIONS (section 9.3.7); 308 (section 15.4.9).
[[nodiscard]] Response respond_unrouted(Request& request);

}  // namespace volt::http::server
