// SPDX-License-Identifier: MIT

// deadline(): the time by which a request must have its response, which the handler passes on to what it calls.
//
//   app.use(http::deadline({.limit = 2s, .field = "x-envoy-expected-rq-timeout-ms"}));
//   app.get("/offers", [shop](From<RequestDeadline> deadline) -> Task<std::string> {
//     ClientRequest request(Method::get, shop->uri + "/items");
//     request.deadline(deadline->at);  // with ClientOptions::deadline_field, the shop learns the remaining time
//     ...
//   });
//
// A service that is called with a second left must neither work nor call others for longer: nothing would wait for the
// result. The field has the remaining time in milliseconds instead of a point in time, so the clocks of two machines
// need not agree. Rejected: a deadline that every HttpClient takes from the calling task. Work that a request begins
// and that must outlive it would fail at random.
//
// Threads: the factory is called while the app is built; the middleware may run on any worker. Cost: that of timeout()
// (http/middleware/limits.h).
#pragma once

#include <chrono>
#include <string>

#include "http/web/middleware.h"
#include "runtime/deadline.h"

namespace volt::http {

// The deadline of a request: an extension that deadline() puts into it, and which handlers take as
// From<RequestDeadline>.
struct RequestDeadline {
  Deadline at;
};

struct DeadlineOptions {
  std::chrono::nanoseconds limit = std::chrono::seconds(30);  // for a request without the field, and at most; above 0
  // The field with the time that the client still waits, in milliseconds, such as Envoy's
  // x-envoy-expected-rq-timeout-ms. Empty, the default: no field is read. A value that is not a number is ignored.
  std::string field = {};
};

// Responds 503 if the response is not composed in time, as timeout() does; with 0 in the field at once. Throws
// std::invalid_argument for a limit that is not above 0 and a field that is not a token.
[[nodiscard]] Middleware deadline(DeadlineOptions options = {});

}  // namespace volt::http
