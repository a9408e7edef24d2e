// SPDX-License-Identifier: MIT

// Violation: the ways in which a peer can violate RFC 6455 or exceed a limit, and the close code for each. Every
// violation ends the connection, because the bytes after it cannot be trusted to be frames (section 7.1.7).
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "http/websocket/protocol/close_code.h"

namespace volt::http::websocket {

enum class Violation : std::uint8_t {
  reserved_bits,         // Section 5.2; RFC 7692 section 6 defines RSV1.
  reserved_opcode,       // Section 5.2.
  fragmented_control,    // Section 5.5.
  long_control,          // Section 5.5.
  stray_continuation,    // Section 5.4.
  interleaved_message,   // Section 5.4.
  unmasked,              // Section 5.1.
  masked,                // Section 5.1.
  length_not_minimal,    // Section 5.2.
  length_out_of_range,   // Section 5.2.
  message_too_big,       // Section 7.4.1.
  inflated_too_much,     // Section 7.4.1: a compression bomb.
  invalid_utf8,          // Section 8.1.
  bad_deflate,           // RFC 7692 section 7.2.2.
  bad_close_length,      // Section 5.5.1.
  bad_close_code,        // Section 7.4.
  invalid_close_reason,  // Sections 5.5.1 and 8.1.
};

constexpr CloseCode close_code_for(Violation violation) noexcept {
  switch (violation) {  // No default: each enumerator needs a case.
                        // clang-format off
    case Violation::reserved_bits:        return CloseCode::protocol_error;
    case Violation::reserved_opcode:      return CloseCode::protocol_error;
    case Violation::fragmented_control:   return CloseCode::protocol_error;
    case Violation::long_control:         return CloseCode::protocol_error;
    case Violation::stray_continuation:   return CloseCode::protocol_error;
    case Violation::interleaved_message:  return CloseCode::protocol_error;
    case Violation::unmasked:             return CloseCode::protocol_error;
    case Violation::masked:               return CloseCode::protocol_error;
    case Violation::length_not_minimal:   return CloseCode::protocol_error;
    case Violation::length_out_of_range:  return CloseCode::protocol_error;
    case Violation::message_too_big:      return CloseCode::message_too_big;
    case Violation::inflated_too_much:    return CloseCode::message_too_big;
    case Violation::invalid_utf8:         return CloseCode::invalid_data;
    case Violation::bad_deflate:          return CloseCode::invalid_data;  // RFC 7692 names no code
    case Violation::bad_close_length:     return CloseCode::protocol_error;
    case Violation::bad_close_code:       return CloseCode::protocol_error;
    case Violation::invalid_close_reason: return CloseCode::invalid_data;
                        // clang-format on
  }
  std::unreachable();
}

// The reason text of our close frame, for the developer of the peer. Static text of at most 123 bytes.
constexpr std::string_view describe(Violation violation) noexcept {
  switch (violation) {  // No default: each enumerator needs a case.
                        // clang-format off
    case Violation::reserved_bits:        return "reserved bit set";
    case Violation::reserved_opcode:      return "reserved opcode";
    case Violation::fragmented_control:   return "fragmented control frame";
    case Violation::long_control:         return "control frame longer than 125 bytes";
    case Violation::stray_continuation:   return "continuation without a message";
    case Violation::interleaved_message:  return "new message inside a fragmented message";
    case Violation::unmasked:             return "client frame is not masked";
    case Violation::masked:               return "server frame is masked";
    case Violation::length_not_minimal:   return "length is not minimally encoded";
    case Violation::length_out_of_range:  return "length is 2^63 or more";
    case Violation::message_too_big:      return "message too big";
    case Violation::inflated_too_much:    return "message inflates too much";
    case Violation::invalid_utf8:         return "text is not UTF-8";
    case Violation::bad_deflate:          return "bad deflate data";
    case Violation::bad_close_length:     return "close frame has a truncated code";
    case Violation::bad_close_code:       return "close code is not allowed";
    case Violation::invalid_close_reason: return "close reason is not UTF-8";
                        // clang-format on
  }
  std::unreachable();
}

}  // namespace volt::http::websocket
