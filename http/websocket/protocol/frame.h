// SPDX-License-Identifier: MIT

// Definitions of frames, RFC 6455 section 5.2.
//
// Threads: pure functions and constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "http/websocket/protocol/mask.h"

namespace volt::http::websocket {

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

// True for reserved control opcodes too (section 5.2).
constexpr bool is_control(Opcode opcode) noexcept { return (static_cast<std::uint8_t>(opcode) & 0x8) != 0; }

// The role of this end of the connection: a client masks the frames that it sends, a server does not (section 5.1).
enum class Role : std::uint8_t { server, client };

inline constexpr std::size_t kControlBytesMax = 125;  // Section 5.5.
inline constexpr std::size_t kFrameHeadBytesMax = 14;

// Bits of the first two bytes of a frame.
inline constexpr std::uint8_t kFinalBit = 0x80;
inline constexpr std::uint8_t kCompressedBit = 0x40;  // RSV1, RFC 7692 section 6.
inline constexpr std::uint8_t kReservedBits = 0x30;   // RSV2 and RSV3.
inline constexpr std::uint8_t kOpcodeBits = 0x0f;
inline constexpr std::uint8_t kMaskBit = 0x80;
inline constexpr std::uint8_t kLengthBits = 0x7f;

// Values of the 7-bit length field. They announce that a length of 16 or 64 bits follows.
inline constexpr std::uint8_t kLength16 = 126;
inline constexpr std::uint8_t kLength64 = 127;

struct FrameHead {
  Opcode opcode = Opcode::text;
  bool final = true;
  bool compressed = false;
  std::optional<Mask> mask;
};

}  // namespace volt::http::websocket
