// SPDX-License-Identifier: MIT

// PreparedMessage: a message that is sent to many WebSockets, and is encoded once for all of them.
//
//   const auto news = PreparedMessage::text(to_json(item));
//   for (WebSocket* socket : sockets) co_await socket->send(news);
//
// The frame is made once, and compressed at most once. All receivers write the same bytes, without copies. Exceptions
// are the connections of a client, which must mask, and those whose compression depends on their earlier messages
// (WebSocketOptions::deflate_context) or has a smaller window: these encode for themselves.
//
// Threads: any; a copy shares the bytes. Lifetime: a value.
#pragma once

#include <memory>
#include <string_view>

namespace volt::http {

class PreparedMessage {
 public:
  // Throws std::invalid_argument for text that is not UTF-8.
  static PreparedMessage text(std::string_view text);
  static PreparedMessage binary(std::string_view bytes);

  [[nodiscard]] bool is_text() const noexcept;
  // Valid as long as a copy of this object.
  [[nodiscard]] std::string_view payload() const noexcept;
  // The frame of a server, and its compressed form for a window of 2^15 bytes that is not kept between messages. The
  // latter is the former if compression does not pay. Valid as long as a copy of this object.
  [[nodiscard]] std::string_view frame() const noexcept;
  [[nodiscard]] std::string_view deflated_frame() const;

 private:
  struct Frames;
  explicit PreparedMessage(std::shared_ptr<Frames> frames) noexcept;

  std::shared_ptr<Frames> frames_;
};

}  // namespace volt::http
