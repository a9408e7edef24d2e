// The vocabulary of frames, RFC 6455 section 5.2.
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

// Also of the reserved ones (section 5.2).
constexpr bool is_control(Opcode opcode) noexcept { return (static_cast<std::uint8_t>(opcode) & 0x8) != 0; }

// Which end of the connection we are: a client masks what it sends, a server does not (section 5.1).
enum class Role : std::uint8_t { server, client };

inline constexpr std::size_t kControlBytesMax = 125;  // section 5.5
inline constexpr std::size_t kFrameHeadBytesMax = 14;

// Bits of the first two bytes.
inline constexpr std::uint8_t kFinalBit = 0x80;
inline constexpr std::uint8_t kCompressedBit = 0x40;  // RSV1, RFC 7692 section 6
inline constexpr std::uint8_t kReservedBits = 0x30;   // RSV2 and RSV3
inline constexpr std::uint8_t kOpcodeBits = 0x0f;
inline constexpr std::uint8_t kMaskBit = 0x80;
inline constexpr std::uint8_t kLengthBits = 0x7f;

// Values of the seven length bits that say how many bytes of length follow.
inline constexpr std::uint8_t kLength16 = 126;
inline constexpr std::uint8_t kLength64 = 127;

struct FrameHead {
  Opcode opcode = Opcode::text;
  bool final = true;
  bool compressed = false;
  std::optional<Mask> mask;
};

}  // namespace volt::http::websocket
