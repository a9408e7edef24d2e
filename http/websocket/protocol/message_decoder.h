// Messages in: what frames carry, put together, inflated and checked, up to each event.
//
// Threads: a value, used by one thread at a time.
// Memory: one message of at most message_bytes_max, grown as its bytes come and not as they are announced; between
// messages at most kKeptBytes of it, and a window if one was agreed on.
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
  std::size_t deflate_ratio_max = 256;       // inflated bytes per byte on the wire, above 1 MiB
  std::optional<DeflateParameters> deflate;  // as negotiated
};

class MessageDecoder {
 public:
  static constexpr std::size_t kKeptBytes = 16 * 1024;

  explicit MessageDecoder(const MessageRules& rules);

  // Takes from the front of `bytes`, which it unmasks in place; nothing is left of them when it returns none. The
  // payload lies in `bytes` or in the decoder: it is valid until the next call. Not to be called after a violation.
  std::expected<std::optional<Event>, Violation> next(std::span<char>& bytes);

  // Of the message that is being put together.
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

  bool text_ = false;  // the message at hand is
  Utf8Validator utf8_;
  std::string message_;
  std::uint64_t wire_bytes_ = 0;  // of a compressed message
  bool delivered_ = false;        // an event was the message's: message_ is done with
};

}  // namespace volt::http::websocket
