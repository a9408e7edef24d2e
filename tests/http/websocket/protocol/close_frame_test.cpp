// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/close_frame.h"

#include <doctest/doctest.h>

namespace volt::http::websocket {
TEST_SUITE_BEGIN("http/websocket/protocol/close_frame");

TEST_CASE("a close frame is empty, or has a valid code and a reason in UTF-8, RFC 6455 section 5.5.1") {
  using Want = std::expected<CloseFrame, Violation>;
  const struct {
    std::string why;
    std::string payload;
    Want want;
  } cases[] = {
      {"nothing", "", CloseFrame{}},
      {"1000", "\x03\xe8", CloseFrame{CloseCode::normal, ""}},
      {"with a reason", "\x03\xe9so long", CloseFrame{CloseCode::going_away, "so long"}},
      {"a code of the application", "\x13\x87", CloseFrame{CloseCode{4999}, ""}},
      {"a truncated code", "\x03", std::unexpected(Violation::bad_close_length)},
      {"7.4.1: 1005 is never sent", "\x03\xed", std::unexpected(Violation::bad_close_code)},
      {"7.4.1: 1006 is never sent", "\x03\xee", std::unexpected(Violation::bad_close_code)},
      {"7.4.1: 1015 is never sent", "\x03\xf7", std::unexpected(Violation::bad_close_code)},
      {"7.4.2: 0 to 999", std::string("\x00\x00", 2), std::unexpected(Violation::bad_close_code)},
      {"7.4.2: 1016 to 2999", "\x0b\xb7", std::unexpected(Violation::bad_close_code)},
      {"7.4.2: 5000 and above", "\xff\xff", std::unexpected(Violation::bad_close_code)},
      {"8.1: a reason that is not UTF-8", "\x03\xe8\xff", std::unexpected(Violation::invalid_close_reason)},
      {"8.1: a reason that ends within a character", "\x03\xe8\xe6\x97",
       std::unexpected(Violation::invalid_close_reason)},
  };
  for (const auto& [why, payload, want] : cases) {
    CAPTURE(why);
    CHECK((parse_close(payload) == want));
    if (want) CHECK(close_payload(*want) == payload);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::websocket
