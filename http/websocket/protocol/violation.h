// How a peer can break RFC 6455 or exceed a limit, with the close code that tells it so. Every one of them ends the
// connection: behind it, nothing can be trusted to be a frame (section 7.1.7).
//
// Threads: pure functions and constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "http/websocket/protocol/close_code.h"

namespace volt::http::websocket {

enum class Violation : std::uint8_t {
  reserved_bits,         // section 5.2; RSV1 has a meaning by RFC 7692 section 6
  reserved_opcode,       // section 5.2
  fragmented_control,    // section 5.5
  long_control,          // section 5.5
  stray_continuation,    // section 5.4
  interleaved_message,   // section 5.4
  unmasked,              // section 5.1
  masked,                // section 5.1
  length_not_minimal,    // section 5.2
  length_out_of_range,   // section 5.2
  message_too_big,       // section 7.4.1
  inflated_too_much,     // section 7.4.1: a compression bomb
  invalid_utf8,          // section 8.1
  bad_deflate,           // RFC 7692 section 7.2.2
  bad_close_length,      // section 5.5.1
  bad_close_code,        // section 7.4
  invalid_close_reason,  // section 5.5.1, 8.1
};

constexpr CloseCode close_code_for(Violation violation) noexcept {
  switch (violation) {  // no default: a new enumerator must choose
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
    case Violation::bad_deflate:          return CloseCode::invalid_data;  // RFC 7692 names none; the data is not what RSV1 says
    case Violation::bad_close_length:     return CloseCode::protocol_error;
    case Violation::bad_close_code:       return CloseCode::protocol_error;
    case Violation::invalid_close_reason: return CloseCode::invalid_data;
                        // clang-format on
  }
  std::unreachable();
}

// The reason in our close frame: for the author of the peer. Static text, at most 123 bytes.
constexpr std::string_view describe(Violation violation) noexcept {
  switch (violation) {  // no default: a new enumerator must choose
                        // clang-format off
    case Violation::reserved_bits:        return "reserved bit set";
    case Violation::reserved_opcode:      return "reserved opcode";
    case Violation::fragmented_control:   return "fragmented control frame";
    case Violation::long_control:         return "control frame longer than 125 bytes";
    case Violation::stray_continuation:   return "continuation without a message";
    case Violation::interleaved_message:  return "new message within a fragmented one";
    case Violation::unmasked:             return "frame of a client not masked";
    case Violation::masked:               return "frame of a server masked";
    case Violation::length_not_minimal:   return "length not minimally encoded";
    case Violation::length_out_of_range:  return "length of 2^63 or more";
    case Violation::message_too_big:      return "message too big";
    case Violation::inflated_too_much:    return "message inflates too much";
    case Violation::invalid_utf8:         return "text is not UTF-8";
    case Violation::bad_deflate:          return "bad deflate data";
    case Violation::bad_close_length:     return "close frame with half a code";
    case Violation::bad_close_code:       return "close code not allowed";
    case Violation::invalid_close_reason: return "close reason is not UTF-8";
                        // clang-format on
  }
  std::unreachable();
}

}  // namespace volt::http::websocket
