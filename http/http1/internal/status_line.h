// HTTP-version SP status-code SP [ reason-phrase ] CRLF (RFC 9112 section 4).
//
// Read byte by byte, however it was cut into pieces: the first offence decides. No white space is forgiven, nor the
// space before an absent reason, as our own servers and those of others write it.
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
  // `bytes` from the answer's first on; those of the last call are not read again. True once the line is complete.
  // Fails with bad_status_line, unsupported_version.
  std::expected<bool, ResponseError> read(std::string_view bytes) noexcept;

  bool started() const noexcept { return position_ > 0; }
  // Bytes up to and with the line's CRLF, once complete.
  std::size_t end() const noexcept { return position_; }

  // The following, once complete.

  Version version() const noexcept { return minor_ == '0' ? Version::http_1_0 : Version::http_1_1; }
  Status status() const noexcept { return Status{status_}; }
  // A view into `bytes`, which begin with those of read(); perhaps empty.
  std::string_view reason(std::string_view bytes) const noexcept;

 private:
  enum class State : std::uint8_t { fixed, reason, line_feed, complete };

  std::expected<void, ResponseError> take_fixed(char c) noexcept;

  State state_ = State::fixed;
  char minor_ = '1';
  std::uint16_t status_ = 0;
  std::size_t position_ = 0;  // bytes read
};

}  // namespace volt::http::http1
