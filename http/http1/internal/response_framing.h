// SPDX-License-Identifier: MIT

// Determines how the body of a response ends, by RFC 9112 section 6.3. Touches no connection state.
//
// A message that two recipients could read differently is refused, even where the RFC lets a client choose:
// Content-Length and Transfer-Encoding together, a repeated length, or a transfer coding other than chunked. The reason
// is given in http/http1/internal/framing.h.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <expected>

#include "http/http1/internal/framing.h"
#include "http/http1/internal/response_error.h"
#include "http/message/method.h"
#include "http/message/status.h"
#include "http/message/version.h"

namespace volt::http::http1 {

struct ResponseFraming {
  enum class Kind : std::uint8_t { none, sized, chunked, until_close };
  Kind kind = Kind::none;
  std::uint64_t size_bytes = 0;  // if sized: length of the body in bytes

  bool operator==(const ResponseFraming&) const = default;
};

// Returns how the body ends. `method` is the request's method. Fails with conflicting_framing, bad_transfer_coding,
// unsupported_transfer_coding, bad_length.
std::expected<ResponseFraming, ResponseError> response_framing(Method method, Status status,
                                                               const FramingFields& fields, Version version) noexcept;

}  // namespace volt::http::http1
