// SPDX-License-Identifier: MIT

// HedgeOptions: when an HttpClient sends a second copy of a request, because the first one has had no response for
// some time.
//
//   HttpClient client({.hedge = {.delay = 30ms}});                      // after a fixed time
//   HttpClient client({.hedge = {.delay = 5ms, .percentile = 0.95}});   // after the server's own p95, at least 5 ms
//
// Both copies go to the same server, on two connections. The first good response is returned, and the other copy is
// cancelled: its connection is closed. A response is good if its status is below 500 and not in RetryOptions::statuses.
// If one copy has no good response, the outcome of the other one counts. So a server that is slow now and then, for
// example because of one slow process behind a load balancer, is less often slow for its clients ("The Tail at Scale",
// Dean and Barroso, 2013).
//
// A request is hedged only if the server may receive it twice: its method is idempotent (RFC 9110 section 9.2.2) or it
// says so (ClientRequest::idempotent()), and its body is not streamed. A request for an upgrade, and one with
// on_interim(), is not hedged either. ClientRequest::hedge_after() sets the delay of one request.
//
// Each second copy takes a token of the server's retry budget (http/client/retry.h), so in the long run at most
// budget_ratio copies are sent per request, together with the retries. No copy is sent while the circuit is open, or
// while there is no free place for another request (ClientOptions::concurrency). Each attempt of a retried request can
// be hedged.
#pragma once

#include <chrono>

namespace volt::http {

struct HedgeOptions {
  // Time without a response's head after which the second copy is sent. 0: no hedging, unless `percentile` is set.
  std::chrono::nanoseconds delay{0};
  // If set, for example to 0.95: the copy is sent after that percentile of the last response times of the server, but
  // not before `delay`. No copy is sent before 32 responses have been received. At least 0, below 1; 0: not used.
  double percentile = 0;
};

}  // namespace volt::http
