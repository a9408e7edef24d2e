// SPDX-License-Identifier: MIT

// The reasons why a response cannot be decoded. After any of these errors, nothing more may be decoded from the
// connection.
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace volt::http::http1 {

enum class ResponseError : std::uint8_t {
  bad_status_line,              // RFC 9112 section 4
  unsupported_version,          // RFC 9112 section 2.3: HTTP/0.x, HTTP/2.0 and above
  bad_field,                    // RFC 9112 section 5
  head_too_large,               // ResponseLimits::head_bytes_max
  too_many_fields,              // ResponseLimits::fields_max
  too_many_interim,             // ResponseLimits::interim_max
  bad_length,                   // RFC 9112 section 6.3, rule 5
  bad_transfer_coding,          // RFC 9112 section 6.3, rule 4
  unsupported_transfer_coding,  // RFC 9112 section 7
  conflicting_framing,          // RFC 9112 section 6.3, rule 3
  bad_chunk,                    // RFC 9112 section 7.1
  bad_trailer,                  // RFC 9112 section 7.1.2
  body_too_large,               // ResponseLimits::body_bytes_max
  cut_off,                      // RFC 9112 section 8: the connection ended first
};

// Returns a description of the error: a sentence without a full stop, as static text.
constexpr std::string_view describe(ResponseError error) noexcept {
  switch (error) {  // no default: a new enumerator must be handled here
                    // clang-format off
    case ResponseError::bad_status_line:             return "the status line is malformed";
    case ResponseError::unsupported_version:         return "the response is not HTTP/1";
    case ResponseError::bad_field:                   return "a header field is malformed";
    case ResponseError::head_too_large:              return "the head is too large";
    case ResponseError::too_many_fields:             return "there are too many header fields";
    case ResponseError::too_many_interim:            return "there are too many interim responses";
    case ResponseError::bad_length:                  return "Content-Length is malformed or repeated";
    case ResponseError::bad_transfer_coding:         return "Transfer-Encoding is malformed";
    case ResponseError::unsupported_transfer_coding: return "the transfer coding is not chunked";
    case ResponseError::conflicting_framing:         return "the end of the body is ambiguous";
    case ResponseError::bad_chunk:                   return "a chunk is malformed";
    case ResponseError::bad_trailer:                 return "a trailer field is malformed or not allowed there";
    case ResponseError::body_too_large:              return "the body is too large";
    case ResponseError::cut_off:                     return "the connection ended before the response did";
                    // clang-format on
  }
  std::unreachable();
}

}  // namespace volt::http::http1
