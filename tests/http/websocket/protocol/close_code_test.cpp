// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/close_code.h"

#include <doctest/doctest.h>

namespace volt::http {
TEST_SUITE_BEGIN("http/websocket/protocol/close_code");

TEST_CASE("a close frame may contain registered codes and 3000 to 4999, RFC 6455 section 7.4.2") {
  const struct {
    std::uint16_t first;
    std::uint16_t last;
    bool allowed;
  } ranges[] = {
      {0, 999, false},     {1000, 1003, true}, {1004, 1006, false},  {1007, 1014, true},
      {1015, 2999, false}, {3000, 4999, true}, {5000, 65535, false},
  };
  for (const auto& [first, last, allowed] : ranges) {
    for (std::uint32_t number = first; number <= last; ++number) {
      if (may_be_sent(CloseCode{static_cast<std::uint16_t>(number)}) == allowed) continue;
      CAPTURE(number);
      CHECK(may_be_sent(CloseCode{static_cast<std::uint16_t>(number)}) == allowed);
    }
  }
}

TEST_SUITE_END();
}  // namespace volt::http
