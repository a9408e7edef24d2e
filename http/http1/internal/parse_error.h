// SPDX-License-Identifier: MIT

// The reasons for refusing a request, and the response status for each. Every refusal closes the connection, because
// the place where the next message begins is no longer certain (RFC 9112 sections 9.6 and 11.2).
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <utility>

#include "http/message/status.h"

namespace volt::http::http1 {

enum class ParseError : std::uint8_t {
  bad_request_line,             // RFC 9112 section 3
  too_many_empty_lines,         // RFC 9112 section 2.2
  request_line_too_long,        // RFC 9112 section 3
  bad_version,                  // not HTTP/d.d, or HTTP/0.x: RFC 9112 section 2.3
  unsupported_version,          // HTTP/2.0 and above
  unknown_method,               // RFC 9110 section 9.1
  unsupported_method,           // CONNECT: this server is not a proxy
  bad_target,                   // RFC 9112 section 3.2
  bad_field,                    // RFC 9112 section 5
  head_too_large,               // RFC 6585 section 5
  too_many_fields,              // RFC 6585 section 5
  bad_host,                     // RFC 9112 section 3.2
  conflicting_content_types,    // RFC 9110 sections 5.3 and 8.3: Content-Type is a singleton field
  repeated_authorization,       // RFC 9110 sections 5.3 and 11.6.2: Authorization is a singleton field
  bad_length,                   // RFC 9112 section 6.3, rule 5
  bad_transfer_coding,          // RFC 9112 section 6.3, rule 4
  unsupported_transfer_coding,  // RFC 9112 section 6.1
  conflicting_framing,          // RFC 9112 section 6.3, rule 3
  disguised_framing,            // RFC 9112 section 11.2
  unknown_expectation,          // RFC 9110 section 10.1.1
  bad_chunk,                    // RFC 9112 section 7.1
  bad_chunk_extension,          // RFC 9112 section 7.1.1
  bad_trailer,                  // RFC 9112 section 7.1.2
  body_too_large,               // RFC 9110 section 15.5.14
};

constexpr Status status_for(ParseError error) noexcept {
  switch (error) {  // no default: a new enumerator must choose, or -Wswitch fails the build
                    // clang-format off
    case ParseError::bad_request_line:            return Status::bad_request;
    case ParseError::too_many_empty_lines:        return Status::bad_request;
    case ParseError::request_line_too_long:       return Status::uri_too_long;
    case ParseError::bad_version:                 return Status::bad_request;
    case ParseError::unsupported_version:         return Status::http_version_not_supported;
    case ParseError::unknown_method:              return Status::not_implemented;
    case ParseError::unsupported_method:          return Status::not_implemented;
    case ParseError::bad_target:                  return Status::bad_request;
    case ParseError::bad_field:                   return Status::bad_request;
    case ParseError::head_too_large:              return Status::request_header_fields_too_large;
    case ParseError::too_many_fields:             return Status::request_header_fields_too_large;
    case ParseError::bad_host:                    return Status::bad_request;
    case ParseError::conflicting_content_types:   return Status::bad_request;
    case ParseError::repeated_authorization:      return Status::bad_request;
    case ParseError::bad_length:                  return Status::bad_request;
    case ParseError::bad_transfer_coding:         return Status::bad_request;
    case ParseError::unsupported_transfer_coding: return Status::not_implemented;
    case ParseError::conflicting_framing:         return Status::bad_request;
    case ParseError::disguised_framing:           return Status::bad_request;
    case ParseError::unknown_expectation:         return Status::expectation_failed;
    case ParseError::bad_chunk:                   return Status::bad_request;
    case ParseError::bad_chunk_extension:         return Status::bad_request;
    case ParseError::bad_trailer:                 return Status::bad_request;
    case ParseError::body_too_large:              return Status::content_too_large;
                    // clang-format on
  }
  std::unreachable();
}

}  // namespace volt::http::http1
