// SPDX-License-Identifier: MIT

// EncodedMessage: a message of a topic, and the forms in which clients receive it. Each form is made when the first
// client needs it, and shared by all.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/topics/topic_backend.h"
#include "http/topics/topic_options.h"
#include "http/websocket/protocol/prepared_message.h"

namespace volt::http::topics {

struct MessageFormat {
  TopicFormat format = TopicFormat::numbered;
  DataKind kind = DataKind::json;
};

class EncodedMessage {
 public:
  EncodedMessage(TopicRecord record, MessageFormat format) noexcept;

  [[nodiscard]] TopicPosition position() const noexcept { return record_.position; }
  [[nodiscard]] const std::string& data() const noexcept { return record_.data; }
  // The WebSocket message. Throws std::invalid_argument if the data of a text is not UTF-8, which publish() refuses.
  [[nodiscard]] const PreparedMessage& frame() const;
  // The lines of the server-sent event.
  [[nodiscard]] const std::shared_ptr<const std::string>& lines() const;

 private:
  [[nodiscard]] std::string json() const;

  const TopicRecord record_;
  const MessageFormat format_;
  mutable std::once_flag framed_;
  mutable std::optional<PreparedMessage> frame_;  // made by the first call of frame()
  mutable std::once_flag lined_;
  mutable std::shared_ptr<const std::string> lines_;  // made by the first call of lines()
};

}  // namespace volt::http::topics
