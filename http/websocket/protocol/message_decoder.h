// SPDX-License-Identifier: MIT

// MessageDecoder: assembles messages from frames, inflates and validates them, and returns one event at a time.
//
// Threads: a value, used by one thread at a time.
// Memory: one message of at most message_bytes_max. The buffer grows when bytes are received, not when a length is
// announced. Between messages, at most kKeptBytes of the buffer are kept. A negotiated compression window takes
// additional memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/coding/message_deflate.h"
#include "http/websocket/protocol/deflate_parameters.h"
#include "http/websocket/protocol/event.h"
#include "http/websocket/protocol/frame_decoder.h"
#include "http/websocket/protocol/utf8.h"

namespace volt::http::websocket {

struct MessageRules {
  Role role = Role::server;
  std::size_t message_bytes_max = 1024 * 1024;
  std::size_t deflate_ratio_max = 256;       // Maximum inflated bytes per received byte, beyond the first inflated MiB.
  std::optional<DeflateParameters> deflate;  // The negotiated parameters; nullopt: no compression.
};

class MessageDecoder {
 public:
  static constexpr std::size_t kKeptBytes = 16 * 1024;

  explicit MessageDecoder(const MessageRules& rules);

  // Consumes bytes from the front of `bytes` and unmasks them in place. Returns nullopt when all of them are consumed.
  // The payload is in `bytes` or in the decoder and is valid until the next call. Must not be called after a violation.
  std::expected<std::optional<Event>, Violation> next(std::span<char>& bytes);

  // Memory that holds the message being assembled, in bytes.
  std::size_t held_bytes() const noexcept { return message_.capacity(); }

 private:
  void release_message() noexcept;
  std::expected<std::optional<Event>, Violation> take_data(const FramePiece& piece);
  std::optional<Violation> check_text(std::string_view added) noexcept;
  std::optional<Violation> inflate(const FramePiece& piece);
  std::optional<Violation> judge(coding::Inflated inflated, std::size_t before) noexcept;

  FrameDecoder frames_;
  std::size_t message_bytes_max_;
  std::size_t deflate_ratio_max_;
  std::optional<coding::MessageInflater> inflater_;

  bool text_ = false;  // Whether the current message is text.
  Utf8Validator utf8_;
  std::string message_;
  std::uint64_t wire_bytes_ = 0;  // Compressed bytes of the current message.
  bool delivered_ = false;        // The message was returned as an event, so message_ can be released.
};

}  // namespace volt::http::websocket
