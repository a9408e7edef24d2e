// Questions: requests to the service, with what is to be answered.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message/method.h"
#include "tests/simulation/chance.h"

namespace volt::simulation {

struct Question {
  http::Method method = http::Method::get;
  std::string bytes;       // the whole request
  unsigned status = 200;   // expected
  unsigned status_or = 0;  // also right, whatever the body
  std::string body;        // expected, if that is compared
  bool compares_body = true;
};

// Any of those that have one answer.
[[nodiscard]] Question some_question(Chance& chance);
// One of each kind.
[[nodiscard]] std::vector<Question> all_questions(Chance& chance);
// No request at all.
[[nodiscard]] Question some_nonsense(Chance& chance);

[[nodiscard]] Question question_for_events();
[[nodiscard]] Question question_for_websocket();
// A client's frame, masked.
[[nodiscard]] std::string websocket_frame(unsigned opcode, std::string_view payload);

}  // namespace volt::simulation
