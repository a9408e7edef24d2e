// SPDX-License-Identifier: MIT

#include "http/http1/internal/status_line.h"

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

constexpr std::string_view kShape = "HTTP/M.m sdd ";  // M, m: version; s, d: status; the reason follows
constexpr std::string_view kLineEnd = "\r\n";

}  // namespace

std::expected<bool, ResponseError> StatusLineReader::read(std::string_view bytes) noexcept {
  for (; position_ < bytes.size() && state_ != State::complete; ++position_) {
    const char c = bytes[position_];
    switch (state_) {
      case State::fixed:
        if (const auto taken = take_fixed(c); !taken) return std::unexpected(taken.error());
        if (position_ + 1 == kShape.size()) state_ = State::reason;
        break;
      case State::reason:
        if (c == '\r') {
          state_ = State::line_feed;
        } else if (!message::kFieldValueChars.contains(c)) {
          return std::unexpected(ResponseError::bad_status_line);
        }
        break;
      case State::line_feed:
        if (c != '\n') return std::unexpected(ResponseError::bad_status_line);
        state_ = State::complete;
        break;
      case State::complete:
        break;
    }
  }
  return state_ == State::complete;
}

std::expected<void, ResponseError> StatusLineReader::take_fixed(char c) noexcept {
  const char want = kShape[position_];
  bool fits = false;
  switch (want) {
    case 'M':
      if (message::is_digit(c) && c != '1') return std::unexpected(ResponseError::unsupported_version);
      fits = c == '1';
      break;
    case 'm':
      fits = message::is_digit(c);
      minor_ = c;
      break;
    case 's':  // RFC 9110 section 15: other status classes are invalid
    case 'd':
      fits = want == 's' ? c >= '1' && c <= '5' : message::is_digit(c);
      status_ = static_cast<std::uint16_t>(status_ * 10 + (c - '0'));
      break;
    default:
      fits = c == want;
  }
  if (!fits) return std::unexpected(ResponseError::bad_status_line);
  return {};
}

std::string_view StatusLineReader::reason(std::string_view bytes) const noexcept {
  return bytes.substr(kShape.size(), position_ - kShape.size() - kLineEnd.size());
}

}  // namespace volt::http::http1
