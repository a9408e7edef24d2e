// What is answered where no route serves.
//
// Threads: pure functions.
#pragma once

#include "http/route/method_set.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::server {

// Why there is no route; put into the request.
struct Unrouted {
  route::MethodSet allow;  // of the path's other routes; empty: there are none
  bool redirect = false;   // there is one for the path with a slash more, or less
};

// 404; 405 with Allow (RFC 9110 section 15.5.6); 204 to OPTIONS (section 9.3.7); 308 (section 15.4.9).
[[nodiscard]] Response respond_unrouted(Request& request);

}  // namespace volt::http::server
