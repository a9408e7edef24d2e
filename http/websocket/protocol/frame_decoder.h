// SPDX-License-Identifier: MIT

// FrameDecoder: decodes frames, RFC 6455 sections 5.2 to 5.5. Input may be split anywhere; the output is pieces of
// messages and whole control frames. Rejects an invalid frame at the first byte that shows the violation, and a message
// that is too big as soon as its length is announced.
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include "http/websocket/protocol/frame.h"
#include "http/websocket/protocol/violation.h"

namespace volt::http::websocket {

struct FrameRules {
  Role role = Role::server;  // The role of this end: a server requires masks, a client rejects them.
  bool deflate = false;      // Whether deflate was negotiated, so that RSV1 may be set on a message's first frame.
  std::size_t message_bytes_max = 1024 * 1024;
};

// A whole control frame, or the received part of a message's frame.
struct FramePiece {
  Opcode opcode = Opcode::text;  // A continuation frame has the opcode of its message.
  bool begins_message = false;
  bool ends_message = false;
  bool compressed = false;   // Whether the message is compressed.
  std::string_view payload;  // Unmasked.

  bool operator==(const FramePiece&) const = default;
};

class FrameDecoder {
 public:
  explicit FrameDecoder(const FrameRules& rules) noexcept : rules_(rules) {}

  // Consumes bytes from the front of `bytes` and unmasks them in place. Returns nullopt when all of them are consumed.
  // The payload is in `bytes`, or in the decoder for a control frame, and is valid until the next call. Must not be
  // called after a violation.
  std::expected<std::optional<FramePiece>, Violation> decode(std::span<char>& bytes) noexcept;

 private:
  std::expected<bool, Violation> take_head(std::span<char>& bytes) noexcept;
  std::optional<Violation> check_first_byte(std::uint8_t byte) noexcept;
  std::optional<Violation> check_second_byte(std::uint8_t byte) noexcept;
  std::optional<Violation> check_length() noexcept;
  void begin_payload() noexcept;
  std::string_view take_payload(std::span<char>& bytes) noexcept;
  std::optional<FramePiece> take_control(std::span<char>& bytes) noexcept;
  std::optional<FramePiece> take_data(std::span<char>& bytes) noexcept;

  FrameRules rules_;

  // The received part of the current frame's head.
  std::array<std::uint8_t, kFrameHeadBytesMax> head_{};
  std::uint8_t head_bytes_ = 0;
  std::uint8_t head_bytes_needed_ = 2;
  std::uint8_t length_bytes_ = 0;  // Size of the extended length, which follows the first two bytes.
  Opcode opcode_ = Opcode::continuation;
  bool final_ = false;

  bool in_payload_ = false;
  Mask mask_{};
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t payload_taken_ = 0;

  // The current message; control frames may be between its fragments.
  bool in_message_ = false;
  bool message_begun_ = false;  // A piece of the message has been returned.
  bool message_compressed_ = false;
  Opcode message_opcode_ = Opcode::text;
  std::uint64_t message_bytes_ = 0;  // Sum of the lengths announced so far.

  std::array<char, kControlBytesMax> control_{};
};

}  // namespace volt::http::websocket
