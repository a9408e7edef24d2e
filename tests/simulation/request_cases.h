// Questions: requests to the service, with what is to be answered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "tests/simulation/chance.h"

namespace volt::simulation {

struct RequestCase {
  http::Method method = http::Method::get;
  std::string bytes;       // the whole request
  unsigned status = 200;   // expected
  unsigned status_or = 0;  // also right, whatever the body
  std::string body;        // expected, if that is compared
  bool compares_body = true;
};

// Any of those that have one answer.
[[nodiscard]] RequestCase some_request_case(Chance& chance);
// One of each kind.
[[nodiscard]] std::vector<RequestCase> all_request_cases(Chance& chance);
// No request at all.
[[nodiscard]] RequestCase some_nonsense(Chance& chance);

[[nodiscard]] RequestCase request_case_for_events();
[[nodiscard]] RequestCase request_case_for_websocket();
// A client's frame, masked.
[[nodiscard]] std::string websocket_frame(unsigned opcode, std::string_view payload);

}  // namespace volt::simulation
