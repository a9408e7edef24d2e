// SPDX-License-Identifier: MIT

// The status line: HTTP-version SP status-code SP [ reason-phrase ] CRLF (RFC 9112 section 4).
//
// The line is read byte by byte, so the error does not depend on how the line was split into pieces. White space must
// match the grammar exactly. The space after the status code is required even if there is no reason; Volt's server and
// other servers write it.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "http/http1/internal/response_error.h"
#include "http/message/status.h"
#include "http/message/version.h"

namespace volt::http::http1 {

class StatusLineReader {
 public:
  // Continues to read. `bytes` must begin with the response's first byte. Bytes that an earlier call read are not read
  // again. Returns true once the line is complete. Fails with bad_status_line, unsupported_version.
  std::expected<bool, ResponseError> read(std::string_view bytes) noexcept;

  bool started() const noexcept { return position_ > 0; }
  // Returns the number of bytes up to and including the line's CRLF, once complete.
  std::size_t end() const noexcept { return position_; }

  // The following members are valid once the line is complete.

  Version version() const noexcept { return minor_ == '0' ? Version::http_1_0 : Version::http_1_1; }
  Status status() const noexcept { return Status{status_}; }
  // Returns the reason, perhaps empty, as a view into `bytes`, which must begin with the bytes given to read().
  std::string_view reason(std::string_view bytes) const noexcept;

 private:
  enum class State : std::uint8_t { fixed, reason, line_feed, complete };

  std::expected<void, ResponseError> take_fixed(char c) noexcept;

  State state_ = State::fixed;
  char minor_ = '1';
  std::uint16_t status_ = 0;
  std::size_t position_ = 0;  // number of bytes read
};

}  // namespace volt::http::http1
