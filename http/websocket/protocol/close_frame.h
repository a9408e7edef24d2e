// SPDX-License-Identifier: MIT

// The payload of a close frame, RFC 6455 section 5.5.1: empty, or a code and a reason.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "http/websocket/protocol/close_code.h"
#include "http/websocket/protocol/frame.h"
#include "http/websocket/protocol/violation.h"

namespace volt::http::websocket {

inline constexpr std::size_t kCloseCodeBytes = 2;
inline constexpr std::size_t kReasonBytesMax = kControlBytesMax - kCloseCodeBytes;

struct CloseFrame {
  CloseCode code = CloseCode::no_status;
  std::string_view reason;

  bool operator==(const CloseFrame&) const = default;
};

// Parses a payload; the reason is a view into `payload`. Errors: bad_close_length, bad_close_code,
// invalid_close_reason.
std::expected<CloseFrame, Violation> parse_close(std::string_view payload) noexcept;

// Composes a payload. It is empty for CloseCode::no_status, the response to a close frame without a code.
std::string close_payload(const CloseFrame& close);

}  // namespace volt::http::websocket
