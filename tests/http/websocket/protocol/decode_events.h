// SPDX-License-Identifier: MIT

// Decodes a stream of WebSocket bytes, split at any offsets, to text; for tests and the fuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/websocket/protocol/frame_encoder.h"
#include "http/websocket/protocol/message_decoder.h"

namespace volt::http::websocket {

inline constexpr Mask kTestMask = {0x37, 0xfa, 0x21, 0x3d};  // The mask in the examples of RFC 6455 section 5.7.

struct OwnedEvent {
  Event::Kind kind;
  CloseCode code;
  std::string payload;

  bool operator==(const OwnedEvent&) const = default;
};

struct DecodedEvents {
  std::vector<OwnedEvent> events;
  std::optional<Violation> violation;

  bool operator==(const DecodedEvents&) const = default;
};

// `cuts` are the offsets at which reads are split. Each read has memory of its own, which is freed after the read.
// `held_bytes_max`, if not null, receives the maximum of MessageDecoder::held_bytes().
inline DecodedEvents decode_events(std::string_view bytes, const MessageRules& rules,
                                   std::vector<std::size_t> cuts = {}, std::size_t* held_bytes_max = nullptr) {
  MessageDecoder decoder(rules);
  DecodedEvents decoded;
  cuts.push_back(bytes.size());
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    const std::size_t size = end - begin;
    const auto read = std::make_unique<char[]>(size);
    bytes.copy(read.get(), size, begin);
    begin = end;
    for (std::span<char> unread(read.get(), size);;) {
      const auto event = decoder.next(unread);
      if (held_bytes_max) *held_bytes_max = std::max(*held_bytes_max, decoder.held_bytes());
      if (!event) {
        decoded.violation = event.error();
        return decoded;
      }
      if (!*event) break;
      decoded.events.push_back({(*event)->kind, (*event)->code, std::string((*event)->payload)});
    }
  }
  return decoded;
}

inline DecodedEvents decode_events_byte_by_byte(std::string_view bytes, const MessageRules& rules) {
  std::vector<std::size_t> cuts;
  for (std::size_t end = 1; end < bytes.size(); ++end) cuts.push_back(end);
  return decode_events(bytes, rules, std::move(cuts));
}

// Returns a frame of a client.
inline std::string masked_frame(FrameHead head, std::string_view payload) {
  head.mask = kTestMask;
  std::string out;
  append_frame(out, head, payload);
  return out;
}

}  // namespace volt::http::websocket
