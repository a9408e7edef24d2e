// SPDX-License-Identifier: MIT

// CloseCode: the reason why a WebSocket was closed, RFC 6455 section 7.4.1 and the IANA registry. A code without a name
// here is written `CloseCode{4000}`; applications define the codes 4000 to 4999.
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>

namespace volt::http {

enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  no_status = 1005,  // Never sent: the peer's close frame had no code.
  abnormal = 1006,   // Never sent: the connection ended without a close frame.
  invalid_data = 1007,
  policy_violation = 1008,
  message_too_big = 1009,
  extension_missing = 1010,
  internal_error = 1011,
  service_restart = 1012,
  try_again_later = 1013,
  bad_gateway = 1014,
};

constexpr std::uint16_t code(CloseCode close) noexcept { return static_cast<std::uint16_t>(close); }

// Returns whether a close frame may contain the code: whether it is registered and not reserved, or is from 3000 to
// 4999 (RFC 6455 section 7.4.2).
constexpr bool may_be_sent(CloseCode close) noexcept {
  const std::uint16_t number = code(close);
  return (number >= 1000 && number <= 1003) || (number >= 1007 && number <= 1014) || (number >= 3000 && number <= 4999);
}

}  // namespace volt::http
