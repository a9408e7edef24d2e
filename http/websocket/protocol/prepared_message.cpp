// SPDX-License-Identifier: MIT

#include "http/websocket/protocol/prepared_message.h"

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "http/coding/message_deflate.h"
#include "http/websocket/protocol/frame_encoder.h"
#include "http/websocket/protocol/session.h"
#include "http/websocket/protocol/utf8.h"

namespace volt::http {

using websocket::Opcode;

struct PreparedMessage::Frames {
  Frames(Opcode opcode, std::string_view message) : opcode(opcode) {
    websocket::append_frame(plain, {.opcode = opcode}, message);
    head_bytes = plain.size() - message.size();
  }

  [[nodiscard]] std::string_view payload() const noexcept { return std::string_view(plain).substr(head_bytes); }

  const Opcode opcode;
  std::string plain;
  std::size_t head_bytes = 0;
  std::once_flag once;
  std::string deflated;  // made by the first call of deflated_frame(); empty if it would not be shorter
};

PreparedMessage::PreparedMessage(std::shared_ptr<Frames> frames) noexcept : frames_(std::move(frames)) {}

PreparedMessage PreparedMessage::text(std::string_view text) {
  if (!websocket::is_utf8(text)) throw std::invalid_argument("the text of a message is not UTF-8");
  return PreparedMessage(std::make_shared<Frames>(Opcode::text, text));
}

PreparedMessage PreparedMessage::binary(std::string_view bytes) {
  return PreparedMessage(std::make_shared<Frames>(Opcode::binary, bytes));
}

bool PreparedMessage::is_text() const noexcept { return frames_->opcode == Opcode::text; }
std::string_view PreparedMessage::payload() const noexcept { return frames_->payload(); }
std::string_view PreparedMessage::frame() const noexcept { return frames_->plain; }

std::string_view PreparedMessage::deflated_frame() const {
  std::call_once(frames_->once, [this] {
    if (payload().size() < websocket::kDeflatedAloneBytesMin) return;
    coding::MessageDeflater deflater({.kept = false});
    std::string deflated;
    deflater.deflate(payload(), deflated);
    if (deflated.size() >= payload().size()) return;
    websocket::append_frame(frames_->deflated, {.opcode = frames_->opcode, .compressed = true}, deflated);
  });
  return frames_->deflated.empty() ? frame() : std::string_view(frames_->deflated);
}

}  // namespace volt::http
