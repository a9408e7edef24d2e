// SPDX-License-Identifier: MIT

// The request line: method SP request-target SP HTTP-version CRLF (RFC 9112 section 3), and the empty lines that may
// precede it (section 2.2). Implemented here rather than by llhttp: llhttp accepts several spaces, HTTP/0.9 and 2.0,
// bytes that are not allowed in a target, and start lines of other protocols, and it cannot distinguish an unknown
// method from a malformed line.
//
// The line is read byte by byte, so the error does not depend on how the line was split into pieces. The first error in
// the order of the bytes is reported. Method and target are checked as whole words at the end of the line.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "http/http1/internal/parse_error.h"
#include "http/http1/limits.h"
#include "http/http1/target.h"
#include "http/message/method.h"
#include "http/message/version.h"

namespace volt::http::http1 {

struct RequestLine {
  Method method = Method::get;
  Version version = Version::http_1_1;
  std::string_view text;  // the raw target
  Target target;
};

class RequestLineReader {
 public:
  // Continues to read. `bytes` must begin with the message's first byte. Bytes that an earlier call read are not read
  // again. Returns true once the line is complete. Fails with too_many_empty_lines, bad_request_line,
  // request_line_too_long, bad_version, unsupported_version, and with unknown_method if the method alone exceeds the
  // limit of the line.
  std::expected<bool, ParseError> read(std::string_view bytes, const Limits& limits) noexcept;

  // Returns whether a byte of the line itself has been received.
  bool started() const noexcept { return state_ > State::empty_line; }

  // Returns the number of bytes up to and including the line's CRLF, once complete.
  std::size_t end() const noexcept { return position_; }

  // Returns the content of the complete line, as views into `bytes`. Fails with unknown_method, bad_target,
  // unsupported_method.
  std::expected<RequestLine, ParseError> judge(std::string_view bytes) const noexcept;

 private:
  enum class State : std::uint8_t { before, empty_line, method, target, version, line_feed, complete };

  std::expected<void, ParseError> skip_empty_lines(std::string_view bytes, const Limits& limits) noexcept;
  std::expected<void, ParseError> read_method(std::string_view bytes, const Limits& limits) noexcept;
  std::expected<void, ParseError> read_target(std::string_view bytes, const Limits& limits) noexcept;
  std::expected<void, ParseError> read_version(std::string_view bytes, const Limits& limits) noexcept;

  State state_ = State::before;
  std::size_t position_ = 0;  // number of bytes read
  std::size_t empty_lines_ = 0;
  std::size_t method_begin_ = 0;
  std::size_t target_begin_ = 0;
  std::size_t version_begin_ = 0;
};

}  // namespace volt::http::http1
