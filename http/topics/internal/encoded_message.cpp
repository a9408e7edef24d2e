// SPDX-License-Identifier: MIT

#include "http/topics/internal/encoded_message.h"

#include <utility>

#include "http/json/json.h"
#include "http/message/server_event.h"

namespace volt::http::topics {

EncodedMessage::EncodedMessage(TopicRecord record, MessageFormat format) noexcept
    : record_(std::move(record)), format_(format) {}

std::string EncodedMessage::json() const {
  return format_.kind == DataKind::text ? to_json(record_.data) : record_.data;
}

const PreparedMessage& EncodedMessage::frame() const {
  std::call_once(framed_, [this] {
    if (format_.kind == DataKind::bytes) {
      frame_ = PreparedMessage::binary(record_.data);
    } else if (format_.format == TopicFormat::plain) {
      frame_ = PreparedMessage::text(record_.data);
    } else {
      frame_ = PreparedMessage::text(R"({"id":")" + record_.position.to_text() + R"(","data":)" + json() + "}");
    }
  });
  return *frame_;
}

const std::shared_ptr<const std::string>& EncodedMessage::lines() const {
  std::call_once(lined_, [this] {
    const std::string id = record_.position.to_text();
    std::string lines;
    message::append_event({.data = record_.data, .id = id}, lines);
    lines_ = std::make_shared<const std::string>(std::move(lines));
  });
  return lines_;
}

}  // namespace volt::http::topics
