// SPDX-License-Identifier: MIT

#include "http/http1/internal/request_line.h"

#include <algorithm>

#include "http/message/ascii.h"

namespace volt::http::http1 {
namespace {

constexpr std::string_view kVersionShape = "HTTP/d.d\r";  // d: any digit
constexpr std::size_t kMajorAt = 5;
constexpr std::size_t kMinorAt = 7;
constexpr std::string_view kUsualVersion = "HTTP/1.1\r";

// Returns the offset of the first byte from `at` to `stop` that is not in `set`, or `stop`.
std::size_t skip(const message::ByteSet& set, std::string_view bytes, std::size_t at, std::size_t stop) noexcept {
  while (at < stop && set.contains(bytes[at])) ++at;
  return at;
}

}  // namespace

std::expected<bool, ParseError> RequestLineReader::read(std::string_view bytes, const Limits& limits) noexcept {
  if (state_ <= State::empty_line) {
    if (const auto skipped = skip_empty_lines(bytes, limits); !skipped) return std::unexpected(skipped.error());
  }
  if (state_ == State::method) {
    if (const auto read = read_method(bytes, limits); !read) return std::unexpected(read.error());
  }
  if (state_ == State::target) {
    if (const auto read = read_target(bytes, limits); !read) return std::unexpected(read.error());
  }
  if (state_ == State::version) {
    if (const auto read = read_version(bytes, limits); !read) return std::unexpected(read.error());
  }
  if (state_ == State::line_feed && position_ < bytes.size()) {
    if (bytes[position_] != '\n') return std::unexpected(ParseError::bad_request_line);
    ++position_;
    state_ = State::complete;
  }
  return state_ == State::complete;
}

std::expected<void, ParseError> RequestLineReader::skip_empty_lines(std::string_view bytes,
                                                                    const Limits& limits) noexcept {
  for (; position_ < bytes.size(); ++position_) {
    const char c = bytes[position_];
    if (state_ == State::empty_line) {
      if (c != '\n') return std::unexpected(ParseError::bad_request_line);
      state_ = State::before;
    } else if (c == '\r') {
      if (empty_lines_ == limits.leading_empty_lines_max) return std::unexpected(ParseError::too_many_empty_lines);
      ++empty_lines_;
      state_ = State::empty_line;
    } else {
      method_begin_ = position_;
      state_ = State::method;
      break;
    }
  }
  return {};
}

std::expected<void, ParseError> RequestLineReader::read_method(std::string_view bytes, const Limits& limits) noexcept {
  const std::size_t limit = method_begin_ + limits.request_line_bytes_max;
  const std::size_t stop = std::min(bytes.size(), limit);
  position_ = skip(message::kTokenChars, bytes, position_, stop);
  // RFC 9112 section 3: a method that is longer than all implemented methods SHOULD cause a 501.
  if (position_ == limit) return std::unexpected(ParseError::unknown_method);
  if (position_ == bytes.size()) return {};
  if (bytes[position_] != ' ' || position_ == method_begin_) return std::unexpected(ParseError::bad_request_line);
  target_begin_ = ++position_;
  state_ = State::target;
  return {};
}

std::expected<void, ParseError> RequestLineReader::read_target(std::string_view bytes, const Limits& limits) noexcept {
  const std::size_t limit = method_begin_ + limits.request_line_bytes_max;
  const std::size_t stop = std::min(bytes.size(), limit);
  position_ = skip(kTargetChars, bytes, position_, stop);
  if (position_ >= limit) return std::unexpected(ParseError::request_line_too_long);
  if (position_ == bytes.size()) return {};
  if (bytes[position_] != ' ' || position_ == target_begin_) return std::unexpected(ParseError::bad_request_line);
  version_begin_ = ++position_;
  state_ = State::version;
  return {};
}

std::expected<void, ParseError> RequestLineReader::read_version(std::string_view bytes, const Limits& limits) noexcept {
  const std::size_t limit = method_begin_ + limits.request_line_bytes_max;
  const std::size_t usual_end = version_begin_ + kUsualVersion.size();
  if (position_ == version_begin_ && usual_end <= limit && bytes.substr(position_).starts_with(kUsualVersion)) {
    position_ = usual_end;
    state_ = State::line_feed;
    return {};
  }
  for (; position_ < bytes.size(); ++position_) {
    const char want = kVersionShape[position_ - version_begin_];
    if (position_ >= limit && want != '\r') return std::unexpected(ParseError::request_line_too_long);
    const char c = bytes[position_];
    const bool fits = want == 'd' ? message::is_digit(c) : c == want;
    if (!fits) return std::unexpected(ParseError::bad_request_line);
    if (position_ == version_begin_ + kMinorAt) {
      const char major = bytes[version_begin_ + kMajorAt];
      if (major == '0') return std::unexpected(ParseError::bad_version);
      if (major != '1') return std::unexpected(ParseError::unsupported_version);  // this includes the preface of HTTP/2
    }
    if (want == '\r') {
      ++position_;
      state_ = State::line_feed;
      return {};
    }
  }
  return {};
}

std::expected<RequestLine, ParseError> RequestLineReader::judge(std::string_view bytes) const noexcept {
  const auto method = method_from_token(bytes.substr(method_begin_, target_begin_ - 1 - method_begin_));
  if (!method) return std::unexpected(ParseError::unknown_method);

  const std::string_view text = bytes.substr(target_begin_, version_begin_ - 1 - target_begin_);
  const auto target = parse_target(text, *method);
  if (!target) return std::unexpected(target.error());
  if (*method == Method::connect) return std::unexpected(ParseError::unsupported_method);

  const Version version = bytes[version_begin_ + kMinorAt] == '0' ? Version::http_1_0 : Version::http_1_1;
  return RequestLine{*method, version, text, *target};
}

}  // namespace volt::http::http1
