// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/close_frame.h"

#include <cstdint>

#include "http/websocket/protocol/utf8.h"

namespace volt::http::websocket {

std::expected<CloseFrame, Violation> parse_close(std::string_view payload) noexcept {
  if (payload.empty()) return CloseFrame{};
  if (payload.size() < kCloseCodeBytes) return std::unexpected(Violation::bad_close_length);
  const auto high = static_cast<std::uint8_t>(payload[0]);
  const auto low = static_cast<std::uint8_t>(payload[1]);
  const auto code = static_cast<CloseCode>(high << 8 | low);
  if (!may_be_sent(code)) return std::unexpected(Violation::bad_close_code);
  const std::string_view reason = payload.substr(kCloseCodeBytes);
  if (!is_utf8(reason)) return std::unexpected(Violation::invalid_close_reason);
  return CloseFrame{.code = code, .reason = reason};
}

std::string close_payload(const CloseFrame& close) {
  if (close.code == CloseCode::no_status) return {};
  std::string payload;
  payload.push_back(static_cast<char>(code(close.code) >> 8));
  payload.push_back(static_cast<char>(code(close.code)));
  return payload.append(close.reason);
}

}  // namespace volt::http::websocket
