// SPDX-License-Identifier: MIT

// RequestCase: a request to the service, with the expected response.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "tests/simulation/chance.h"
#include "tests/simulation/timeline.h"

namespace volt::simulation {

struct RequestCase {
  http::Method method = http::Method::get;
  std::string bytes;       // the whole request
  unsigned status = 200;   // the expected status
  unsigned status_or = 0;  // also accepted, with any body
  std::string body;        // expected, if compares_body
  bool compares_body = true;
};

// Returns a request whose handler does nothing.
[[nodiscard]] RequestCase plain_request_case();
// Returns a random request with one expected response.
[[nodiscard]] RequestCase some_request_case(Chance& chance);
// Returns a request to a handler that keeps its thread, for a random time in [least, most].
[[nodiscard]] RequestCase keeping_request_case(Chance& chance, Nanoseconds least, Nanoseconds most);
// Return a request that computes for a random time in [least, most], on a route that is heavy, or light.
[[nodiscard]] RequestCase heavy_request_case(Chance& chance, Nanoseconds least, Nanoseconds most);
[[nodiscard]] RequestCase light_request_case(Chance& chance, Nanoseconds least, Nanoseconds most);
// Returns one request of each kind, without those that keep a thread.
[[nodiscard]] std::vector<RequestCase> all_request_cases(Chance& chance);
// Returns bytes that are not a valid request.
[[nodiscard]] RequestCase some_nonsense(Chance& chance);

[[nodiscard]] RequestCase request_case_for_events();
[[nodiscard]] RequestCase request_case_for_websocket();
// Returns a masked WebSocket frame of a client.
[[nodiscard]] std::string websocket_frame(unsigned opcode, std::string_view payload);

}  // namespace volt::simulation
