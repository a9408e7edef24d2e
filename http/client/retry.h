// SPDX-License-Identifier: MIT

// RetryOptions: when an HttpClient sends a request again.
//
//   HttpClient client({.retry = {.attempts_max = 3}});
//
// A request is sent again if one of these happens:
//   - No connection was made: it was refused or reset, the host is unreachable, or connect_timeout has passed. Nothing
//     was sent then, so this applies to every method.
//   - The connection was lost before the first byte of a response, and the method is idempotent (RFC 9110 section
//     9.2.2), or the request says so (ClientRequest::idempotent).
//   - The response has one of `statuses`, and the request is idempotent in that sense.
// A request with a streamed body is never sent again, nor is one whose response was late (response_timeout): a server
// that is too slow would get even more work. If there is no further attempt, send() returns the last outcome.
//
// The wait before attempt n + 1 is random, between 0 and backoff_min * 2^(n - 1), at most backoff_max ("full jitter" in
// "Exponential Backoff And Jitter", AWS Architecture Blog). If the response has a Retry-After field, the wait is at
// least as long as that field says. There is no retry if the wait would end after ClientOptions::whole_timeout.
//
// A budget for each server keeps retries from multiplying the load of a server that fails: a token bucket that begins
// with budget_burst tokens and holds at most as many. Each request adds budget_ratio tokens, and each retry takes one.
// So in the long run at most budget_ratio retries are made per request. This is the token bucket of gRPC's retry
// throttling (gRPC proposal A6, "Throttling Retry Attempts and Hedged RPCs") with the ratio of Finagle's RetryBudget
// (20 % of the requests).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "http/message/status.h"

namespace volt::http {

struct RetryOptions {
  std::uint32_t attempts_max = 1;  // attempts of a request, with the first; 1: no retries
  // Longest random wait before the second attempt; it doubles with each further attempt, up to backoff_max.
  std::chrono::nanoseconds backoff_min = std::chrono::milliseconds(50);
  std::chrono::nanoseconds backoff_max = std::chrono::seconds(2);
  // A response with a longer Retry-After is returned instead of a retry.
  std::chrono::nanoseconds retry_after_max = std::chrono::seconds(5);
  std::vector<Status> statuses = {Status::too_many_requests, Status::bad_gateway, Status::service_unavailable,
                                  Status::gateway_timeout};
  double budget_ratio = 0.2;        // retries per request in the long run, for each server; 0 to 1
  std::uint32_t budget_burst = 10;  // retries that the budget allows at once; at least 1
  // Returns a random number from [0, 1) for a wait; called by any task, by several at once. Empty: the system's random
  // numbers. For tests.
  std::function<double()> random = {};
};

}  // namespace volt::http
