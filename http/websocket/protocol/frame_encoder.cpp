// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/frame_encoder.h"

#include <limits>

namespace volt::http::websocket {
namespace {

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void append_length(std::string& out, std::uint64_t size, std::uint8_t mask_bit) {
  if (size < kLength16) {
    out.push_back(static_cast<char>(mask_bit | size));
  } else if (size <= std::numeric_limits<std::uint16_t>::max()) {
    out.push_back(static_cast<char>(mask_bit | kLength16));
    append_big_endian(out, size, 2);
  } else {
    out.push_back(static_cast<char>(mask_bit | kLength64));
    append_big_endian(out, size, 8);
  }
}

}  // namespace

void append_frame(std::string& out, const FrameHead& head, std::string_view payload) {
  const unsigned flags = (head.final ? kFinalBit : 0u) | (head.compressed ? kCompressedBit : 0u);
  out.push_back(static_cast<char>(flags | static_cast<unsigned>(head.opcode)));
  append_length(out, payload.size(), head.mask ? kMaskBit : 0);
  if (head.mask) out.append(head.mask->begin(), head.mask->end());
  const std::size_t begin = out.size();
  out.append(payload);
  if (head.mask) apply_mask(std::span(out).subspan(begin), *head.mask, 0);
}

}  // namespace volt::http::websocket
