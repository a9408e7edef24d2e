// One end of a WebSocket after its handshake, RFC 6455, without the socket: bytes in, events out; messages in, bytes
// out. It answers pings and the peer's close, and tells a peer that breaks the protocol so. What is left to the
// connection is to read, to write and to wait:
//
//   session.feed(received);
//   while (auto event = session.next()) handle(*event);
//   session.take_output(buffer);
//   write(buffer);
//
// until session.closed(); then, when the output is written, the server closes the connection first (section 7.1.1).
// A connection that ends before that ended abnormally (CloseCode::abnormal).
//
// Threads: a value, used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/coding/message_deflate.h"
#include "http/websocket/protocol/close_frame.h"
#include "http/websocket/protocol/event.h"
#include "http/websocket/protocol/message_decoder.h"

namespace volt::http::websocket {

class Session {
 public:
  explicit Session(const MessageRules& rules);

  // What was received. It must stay where it is, and is written to (unmasked in place), until next() returns none.
  // To be called only after that.
  void feed(std::span<char> bytes) noexcept;
  // None: all that was fed is used up, or the session is closed. The payload is valid until the next call.
  std::optional<Event> next();

  // Each appends to the output; false if it is too late, for nothing is sent behind a close frame (section 5.5.1).
  // Throws std::invalid_argument for text that is not UTF-8.
  bool send_text(std::string_view text);
  bool send_binary(std::string_view bytes);
  // Throws std::invalid_argument for more than kControlBytesMax.
  bool ping(std::string_view payload = {});
  // Events come until the peer's close. Throws std::invalid_argument for a code that may not be sent, a reason of more
  // than kReasonBytesMax or that is not UTF-8.
  bool close(CloseCode code = CloseCode::normal, std::string_view reason = {});

  // The connection is gone: nothing is sent or received any more.
  void disconnected() noexcept;

  bool has_output() const noexcept { return !output_.empty() || pong_due_; }
  // Puts what is to be written in place of what `to` holds, and keeps its memory for what will be.
  void take_output(std::string& to);

  bool open() const noexcept { return state_ == State::open; }      // messages can be sent
  bool closed() const noexcept { return state_ == State::closed; }  // nothing more is received

 private:
  enum class State : std::uint8_t { open, close_sent, closed };

  bool send_message(Opcode opcode, std::string_view payload);
  void append(Opcode opcode, std::string_view payload, bool compressed = false);
  void append_close(const CloseFrame& close);
  void append_due_pong();
  void note_ping(std::string_view payload) noexcept;
  void take_close(const Event& close);
  Event fail(Violation violation);

  Role role_;
  State state_ = State::open;
  MessageDecoder decoder_;
  std::optional<coding::MessageDeflater> deflater_;
  std::size_t deflated_bytes_min_ = 0;

  std::span<char> unread_;
  std::string output_;
  std::string deflated_;

  // The answer to the last ping only, which answers those before it too (section 5.5.3): a flood of pings must not
  // pile up pongs in front of a peer that does not read.
  bool pong_due_ = false;
  std::uint8_t pong_bytes_ = 0;
  std::array<char, kControlBytesMax> pong_{};
};

}  // namespace volt::http::websocket
