// Frames in, RFC 6455 sections 5.2 to 5.5: bytes, cut anywhere, become pieces of messages and whole control frames.
// Refuses what no frame may be as soon as the byte is there that shows it, and a message that will be too big when its
// length is announced.
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
  Role role = Role::server;  // ours: a server demands masks, a client refuses them
  bool deflate = false;      // negotiated: RSV1 may be set on the first frame of a message
  std::size_t message_bytes_max = 1024 * 1024;
};

// A whole control frame, or so much of a message as has come.
struct FramePiece {
  Opcode opcode = Opcode::text;  // a continuation has that of its message
  bool begins_message = false;
  bool ends_message = false;
  bool compressed = false;   // the message is
  std::string_view payload;  // unmasked

  bool operator==(const FramePiece&) const = default;
};

class FrameDecoder {
 public:
  explicit FrameDecoder(const FrameRules& rules) noexcept : rules_(rules) {}

  // Takes from the front of `bytes`, which it unmasks in place; nothing is left of them when it returns none. The
  // payload lies in `bytes`, or in the decoder if it is a control frame's: it is valid until the next call.
  // Not to be called after a violation.
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

  // The head of the frame at hand, as far as it has come.
  std::array<std::uint8_t, kFrameHeadBytesMax> head_{};
  std::uint8_t head_bytes_ = 0;
  std::uint8_t head_bytes_needed_ = 2;
  std::uint8_t length_bytes_ = 0;  // behind the first two
  Opcode opcode_ = Opcode::continuation;
  bool final_ = false;

  bool in_payload_ = false;
  Mask mask_{};
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t payload_taken_ = 0;

  // The message at hand; control frames may stand between its fragments.
  bool in_message_ = false;
  bool message_begun_ = false;  // a piece of it was handed out
  bool message_compressed_ = false;
  Opcode message_opcode_ = Opcode::text;
  std::uint64_t message_bytes_ = 0;  // announced so far

  std::array<char, kControlBytesMax> control_{};
};

}  // namespace volt::http::websocket
