// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/frame_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace volt::http::websocket {
namespace {

bool is_known(Opcode opcode) noexcept {
  switch (opcode) {
    case Opcode::continuation:
    case Opcode::text:
    case Opcode::binary:
    case Opcode::close:
    case Opcode::ping:
    case Opcode::pong:
      return true;
  }
  return false;  // reserved opcodes
}

// Returns the maximum size of a message on the wire. It is larger than message_bytes_max for a compressed message:
// deflate enlarges incompressible data by five bytes per block, and encoders with little memory make blocks of a few
// hundred bytes. MessageDecoder limits the inflated size exactly.
std::uint64_t wire_bytes_max(std::size_t message_bytes_max, bool compressed) noexcept {
  if (!compressed) return message_bytes_max;
  const std::uint64_t overhead = message_bytes_max / 16 + 64;
  return message_bytes_max + std::min(overhead, std::numeric_limits<std::uint64_t>::max() - message_bytes_max);
}

}  // namespace

std::expected<std::optional<FramePiece>, Violation> FrameDecoder::decode(std::span<char>& bytes) noexcept {
  if (!in_payload_) {
    const auto complete = take_head(bytes);
    if (!complete) return std::unexpected(complete.error());
    if (!*complete) return std::nullopt;
    begin_payload();
  }
  return is_control(opcode_) ? take_control(bytes) : take_data(bytes);
}

std::expected<bool, Violation> FrameDecoder::take_head(std::span<char>& bytes) noexcept {
  while (head_bytes_ < head_bytes_needed_) {
    if (bytes.empty()) return false;
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes = bytes.subspan(1);
    head_[head_bytes_++] = byte;
    std::optional<Violation> violation;
    if (head_bytes_ == 1) violation = check_first_byte(byte);
    if (head_bytes_ == 2) violation = check_second_byte(byte);
    if (!violation && head_bytes_ == 2u + length_bytes_) violation = check_length();
    if (violation) return std::unexpected(*violation);
  }
  return true;
}

std::optional<Violation> FrameDecoder::check_first_byte(std::uint8_t byte) noexcept {
  opcode_ = static_cast<Opcode>(byte & kOpcodeBits);
  final_ = (byte & kFinalBit) != 0;
  const bool begins = opcode_ == Opcode::text || opcode_ == Opcode::binary;
  const bool compressed = (byte & kCompressedBit) != 0;
  if ((byte & kReservedBits) != 0) return Violation::reserved_bits;
  if (compressed && !(rules_.deflate && begins)) return Violation::reserved_bits;
  if (!is_known(opcode_)) return Violation::reserved_opcode;
  if (is_control(opcode_) && !final_) return Violation::fragmented_control;
  if (opcode_ == Opcode::continuation && !in_message_) return Violation::stray_continuation;
  if (begins && in_message_) return Violation::interleaved_message;
  if (begins) {
    message_opcode_ = opcode_;
    message_compressed_ = compressed;
    message_bytes_ = 0;
  }
  return std::nullopt;
}

std::optional<Violation> FrameDecoder::check_second_byte(std::uint8_t byte) noexcept {
  const bool masked = (byte & kMaskBit) != 0;
  payload_bytes_ = byte & kLengthBits;
  if (masked && rules_.role == Role::client) return Violation::masked;
  if (!masked && rules_.role == Role::server) return Violation::unmasked;
  if (is_control(opcode_) && payload_bytes_ > kControlBytesMax) return Violation::long_control;
  length_bytes_ = payload_bytes_ == kLength16 ? 2 : payload_bytes_ == kLength64 ? 8 : 0;
  head_bytes_needed_ = static_cast<std::uint8_t>(2 + length_bytes_ + (masked ? mask_.size() : 0));
  return std::nullopt;
}

std::optional<Violation> FrameDecoder::check_length() noexcept {
  if (length_bytes_ > 0) {
    payload_bytes_ = 0;
    for (std::size_t i = 0; i < length_bytes_; ++i) payload_bytes_ = payload_bytes_ << 8 | head_[2 + i];
    const std::uint64_t minimum = length_bytes_ == 2 ? kLength16 : std::numeric_limits<std::uint16_t>::max() + 1u;
    if (payload_bytes_ < minimum) return Violation::length_not_minimal;
    if (payload_bytes_ > std::numeric_limits<std::int64_t>::max()) return Violation::length_out_of_range;
  }
  if (is_control(opcode_)) return std::nullopt;
  if (payload_bytes_ > wire_bytes_max(rules_.message_bytes_max, message_compressed_) - message_bytes_) {
    return Violation::message_too_big;
  }
  message_bytes_ += payload_bytes_;
  return std::nullopt;
}

void FrameDecoder::begin_payload() noexcept {
  if (rules_.role == Role::server) std::memcpy(mask_.data(), head_.data() + 2 + length_bytes_, mask_.size());
  if (!is_control(opcode_) && !in_message_) {
    in_message_ = true;
    message_begun_ = false;
  }
  in_payload_ = true;
  payload_taken_ = 0;
  head_bytes_ = 0;
  head_bytes_needed_ = 2;
}

std::string_view FrameDecoder::take_payload(std::span<char>& bytes) noexcept {
  const std::uint64_t left = payload_bytes_ - payload_taken_;
  const std::span<char> taken = bytes.first(std::min<std::uint64_t>(left, bytes.size()));
  bytes = bytes.subspan(taken.size());
  if (rules_.role == Role::server) apply_mask(taken, mask_, payload_taken_);
  payload_taken_ += taken.size();
  in_payload_ = payload_taken_ < payload_bytes_;
  return {taken.data(), taken.size()};
}

std::optional<FramePiece> FrameDecoder::take_control(std::span<char>& bytes) noexcept {
  const std::uint64_t before = payload_taken_;
  const std::string_view taken = take_payload(bytes);
  std::ranges::copy(taken, control_.begin() + static_cast<std::ptrdiff_t>(before));
  if (in_payload_) return std::nullopt;
  return FramePiece{.opcode = opcode_, .payload = {control_.data(), static_cast<std::size_t>(payload_bytes_)}};
}

std::optional<FramePiece> FrameDecoder::take_data(std::span<char>& bytes) noexcept {
  if (bytes.empty() && payload_taken_ < payload_bytes_) return std::nullopt;
  const std::string_view payload = take_payload(bytes);
  const FramePiece piece{.opcode = message_opcode_,
                         .begins_message = !message_begun_,
                         .ends_message = final_ && !in_payload_,
                         .compressed = message_compressed_,
                         .payload = payload};
  message_begun_ = true;
  in_message_ = !piece.ends_message;
  return piece;
}

}  // namespace volt::http::websocket
